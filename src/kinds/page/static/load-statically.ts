import { JobFailure } from "../../../job/failure.ts";
import type { GuardedFetch } from "../../../net/fetch/guarded-fetch.ts";
import type { CollectedPage } from "../collect-page.ts";
import type { PageFacts } from "../facts.ts";
import type { PageRequest } from "../contract.ts";
import { readInThread, type StaticDocument, type StaticSheets } from "./static-reader.ts";

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
  if (given !== undefined) {
    const document = { body: Buffer.from(given), contentType: "text/html; charset=utf-8", base: url };
    return { status: 200, finalUrl: url, facts: await readStatically(document, settings, signal) };
  }
  const response = await settings.fetch(url, { signal, maxBodyBytes: maxHtmlBytes, whenTooLarge: "truncate" });
  const { status, url: finalUrl } = response;
  if (status >= 400) {
    throw new JobFailure("http_error", `${url} answered with status ${status}.`, {
      retryable: status >= 500,
      details: { status },
    });
  }
  const contentType = String(response.headers["content-type"] ?? "");
  const document = { body: response.body, contentType, base: finalUrl };
  return { status, finalUrl, facts: await readStatically(document, settings, signal) };
}

function readStatically(
  document: StaticDocument,
  { fetch, staticThread = new URL("./static-thread.js", import.meta.url) }: StaticSettings,
  signal: AbortSignal,
): Promise<PageFacts> {
  return readInThread(document, staticThread, (urls) => fetchSheets(urls, fetch, signal), signal);
}

async function fetchSheets(
  urls: readonly string[],
  fetch: GuardedFetch["fetch"],
  signal: AbortSignal,
): Promise<StaticSheets> {
  const request = { signal, timeoutMs: sheetMs, maxBodyBytes: maxSheetBytes };
  const answers = await Promise.all(
    urls.slice(0, maxSheets).map(async (url) => {
      const response = await fetch(url, request).catch(() => undefined);
      signal.throwIfAborted();
      return { url, body: response?.status === 200 ? response.body : undefined };
    }),
  );
  return {
    bodies: answers.flatMap(({ body }) => body ?? []),
    unreadable: answers.flatMap(({ url, body }) => (body === undefined ? [url.slice(0, 500)] : [])),
  };
}
