import { load as parseHtml, type CheerioAPI } from "cheerio/slim";
import { JobFailure } from "../../../job/failure.ts";
import { decodeText } from "../../../net/fetch/decode-text.ts";
import type { GuardedFetch } from "../../../net/fetch/guarded-fetch.ts";
import type { CollectedPage } from "../collect-page.ts";
import type { PageRequest } from "../contract.ts";
import { readCss } from "./read-css.ts";
import { readDocument } from "./read-document.ts";
import { parseUrl } from "../../../job/parse-url.ts";

export type StaticPage = Pick<CollectedPage, "facts" | "finalUrl" | "status">;

const maxHtmlBytes = 5_000_000;
const maxSheets = 20;
const maxSheetBytes = 1_000_000;
const sheetMs = 5_000;

/** The page as its HTML and CSS describe it: nothing is drawn, no script runs. */
export async function loadStatically(
  { url, html: given }: Pick<PageRequest, "url" | "html">,
  fetch: GuardedFetch["fetch"],
  signal: AbortSignal,
): Promise<StaticPage> {
  if (given !== undefined) return readStatically(given, { status: 200, finalUrl: url }, fetch, signal);
  const response = await fetch(url, { signal, maxBodyBytes: maxHtmlBytes, whenTooLarge: "truncate" });
  const { status, url: finalUrl } = response;
  if (status >= 400) {
    throw new JobFailure("http_error", `${url} answered with status ${status}.`, {
      retryable: status >= 500,
      details: { status },
    });
  }
  const html = decodeText(response.body, String(response.headers["content-type"] ?? "")).text;
  return readStatically(html, { status, finalUrl }, fetch, signal);
}

async function readStatically(
  html: string,
  { status, finalUrl }: Pick<StaticPage, "status" | "finalUrl">,
  fetch: GuardedFetch["fetch"],
  signal: AbortSignal,
): Promise<StaticPage> {
  const $ = parseHtml(html);
  const { texts, unreadable } = await fetchSheets($, finalUrl, fetch, signal);
  const css = readCss(texts, unreadable);
  return { status, finalUrl, facts: readDocument($, finalUrl, /^\s*<!doctype/i.test(html), css) };
}

async function fetchSheets(
  $: CheerioAPI,
  base: string,
  fetch: GuardedFetch["fetch"],
  signal: AbortSignal,
): Promise<{ texts: string[]; unreadable: string[] }> {
  const inline = $("style")
    .toArray()
    .map((element) => $(element).text());
  const styled = $("[style]")
    .toArray()
    .slice(0, 2_000)
    .map((element) => `[style] { ${$(element).attr("style") ?? ""} }`);
  const urls = $('link[rel~="stylesheet"][href]')
    .toArray()
    .flatMap((element) => {
      const url = parseUrl($(element).attr("href") ?? "", base);
      return url === undefined ? [] : [url.href];
    });
  const request = { signal, timeoutMs: sheetMs, maxBodyBytes: maxSheetBytes };
  const answers = await Promise.all(
    urls.slice(0, maxSheets).map(async (url) => {
      const response = await fetch(url, request).catch(() => undefined);
      signal.throwIfAborted();
      return { url, text: response?.status === 200 ? decodeText(response.body, "text/css").text : undefined };
    }),
  );
  return {
    texts: [...answers.flatMap(({ text }) => text ?? []), ...inline, ...styled],
    unreadable: answers.flatMap(({ url, text }) => (text === undefined ? [url] : [])),
  };
}
