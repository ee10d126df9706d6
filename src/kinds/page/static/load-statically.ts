import { JobFailure } from "../../../job/failure.ts";
import { decodeText } from "../../../net/fetch/decode-text.ts";
import type { GuardedFetch } from "../../../net/fetch/guarded-fetch.ts";
import type { CollectedPage } from "../collect-page.ts";
import type { PageRequest } from "../contract.ts";
import { readInThread, type SheetSources, type StaticSheets } from "./static-reader.ts";

export type StaticPage = Pick<CollectedPage, "facts" | "finalUrl" | "status">;

export interface StaticSettings {
  readonly fetch: GuardedFetch["fetch"];
  /** Where the program of the thread that reads a page lies. */
  readonly staticThread?: URL;
}

const maxHtmlBytes = 5_000_000;
const maxSheets = 20;
const maxSheetBytes = 1_000_000;
const sheetMs = 5_000;

/** The page as its HTML and CSS describe it: nothing is drawn, no script runs. */
export async function loadStatically(
  { url, html: given }: Pick<PageRequest, "url" | "html">,
  settings: StaticSettings,
  signal: AbortSignal,
): Promise<StaticPage> {
  if (given !== undefined) return readStatically(given, { status: 200, finalUrl: url }, settings, signal);
  const response = await settings.fetch(url, { signal, maxBodyBytes: maxHtmlBytes, whenTooLarge: "truncate" });
  const { status, url: finalUrl } = response;
  if (status >= 400) {
    throw new JobFailure("http_error", `${url} answered with status ${status}.`, {
      retryable: status >= 500,
      details: { status },
    });
  }
  const html = decodeText(response.body, String(response.headers["content-type"] ?? "")).text;
  return readStatically(html, { status, finalUrl }, settings, signal);
}

async function readStatically(
  html: string,
  { status, finalUrl }: Pick<StaticPage, "status" | "finalUrl">,
  { fetch, staticThread = new URL("./static-thread.js", import.meta.url) }: StaticSettings,
  signal: AbortSignal,
): Promise<StaticPage> {
  const facts = await readInThread(
    { html, base: finalUrl },
    staticThread,
    (sources) => fetchSheets(sources, fetch, signal),
    signal,
  );
  return { status, finalUrl, facts };
}

async function fetchSheets(
  { texts, urls }: SheetSources,
  fetch: GuardedFetch["fetch"],
  signal: AbortSignal,
): Promise<StaticSheets> {
  const request = { signal, timeoutMs: sheetMs, maxBodyBytes: maxSheetBytes };
  const answers = await Promise.all(
    urls.slice(0, maxSheets).map(async (url) => {
      const response = await fetch(url, request).catch(() => undefined);
      signal.throwIfAborted();
      return { url, text: response?.status === 200 ? decodeText(response.body, "text/css").text : undefined };
    }),
  );
  return {
    texts: [...answers.flatMap(({ text }) => text ?? []), ...texts],
    unreadable: answers.flatMap(({ url, text }) => (text === undefined ? [url] : [])),
  };
}
