import { createGunzip } from "node:zlib";
import { pipeline, Readable } from "node:stream";
import type { GuardedFetch } from "../../../net/fetch/guarded-fetch.ts";
import type { Robots } from "../../../net/robots/robots.ts";
import { BoundedParser } from "../../../text/html/bounded-parser.ts";
import { createPacer } from "../../../text/pacer.ts";
import { normaliseUrl } from "./page-url.ts";

export interface SitemapRequest {
  readonly url: string;
  readonly signal: AbortSignal;
  /** Called with each URL; false ends the reading. */
  readonly onUrl: (url: string) => boolean;
}

const maxFiles = 100;
const maxBytes = 100_000_000;
const timeoutMs = 60_000;
const pieceBytes = 16_384;

/** Reads the sitemaps of a site: those that robots.txt names, else the usual one; lists of sitemaps too. What cannot be read is passed over. */
export async function readSitemaps(
  { url, signal, onUrl }: SitemapRequest,
  { web, robots }: { web: GuardedFetch; robots: Robots },
): Promise<void> {
  const rules = await robots.rulesFor(url, signal);
  const files = rules.sitemaps.length > 0 ? [...rules.sitemaps] : [new URL("/sitemap.xml", url).href];
  const known = new Set(files);
  const state = { isEnough: false };
  for (let index = 0; index < files.length && index < maxFiles && !state.isEnough; index++) {
    const file = files[index] ?? "";
    const onLocation = (text: string, isList: boolean): boolean => {
      const target = normaliseUrl(text.trim(), file);
      if (target === undefined) return true;
      if (!isList) {
        state.isEnough = !onUrl(target);
        return !state.isEnough;
      }
      if (known.size < maxFiles && !known.has(target)) files.push(target);
      known.add(target);
      return true;
    };
    await readSitemap(file, web, signal, onLocation).catch(() => signal.throwIfAborted());
  }
}

async function readSitemap(
  file: string,
  web: GuardedFetch,
  signal: AbortSignal,
  onLocation: (text: string, isList: boolean) => boolean,
): Promise<void> {
  const { status, body } = await web.stream(file, { signal, timeoutMs, maxBodyBytes: maxBytes });
  const state = { isList: false, text: undefined as string | undefined, depth: 0 };
  const locations: string[] = [];
  const parser = new BoundedParser(
    {
      onopentag: (name) => {
        state.depth += 1;
        if (localName(name) === "sitemapindex") state.isList = true;
        if (name === "loc") state.text = "";
      },
      ontext: (text) => {
        if (state.text !== undefined && state.text.length < 4_000) state.text += text;
      },
      onclosetag: (name) => {
        state.depth -= 1;
        if (name !== "loc" || state.text === undefined) return;
        locations.push(state.text);
        state.text = undefined;
      },
    },
    () => state.depth,
    { xmlMode: true },
  );
  const decoder = new TextDecoder();
  const pace = createPacer();
  for await (const piece of unpacked(body)) {
    if (status >= 300) return;
    // What was sent as a few bytes may be much when it is unpacked.
    for (let start = 0; start < piece.length; start += pieceBytes) {
      await pace();
      parser.write(decoder.decode(piece.subarray(start, start + pieceBytes), { stream: true }));
    }
    for (const location of locations.splice(0)) {
      await pace();
      if (!onLocation(location, state.isList)) return;
    }
  }
  parser.end();
}

function localName(name: string): string {
  return name.slice(name.indexOf(":") + 1).toLowerCase();
}

/** A sitemap may be a gzip file, which is not the same as a compressed response. */
async function* unpacked(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const pieces = body[Symbol.asyncIterator]();
  const first = await pieces.next();
  if (first.done === true) return;
  const all = async function* (): AsyncGenerator<Uint8Array> {
    try {
      yield first.value;
      for (let next = await pieces.next(); next.done !== true; next = await pieces.next()) yield next.value;
    } finally {
      await pieces.return?.();
    }
  };
  if (first.value[0] !== 0x1f || first.value[1] !== 0x8b) {
    yield* all();
    return;
  }
  let length = 0;
  const gunzip = pipeline(Readable.from(all()), createGunzip(), () => undefined);
  for await (const piece of gunzip as AsyncIterable<Uint8Array>) {
    length += piece.length;
    if (length > maxBytes) return;
    yield piece;
  }
}
