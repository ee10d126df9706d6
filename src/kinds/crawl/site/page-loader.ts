import { JobFailure } from "../../../job/failure.ts";
import { fetchPage } from "../page/fetch-page.ts";
import { readBest, readRendered, RenderingLuck, type PageReading, type ParseBody } from "../page/page-reading.ts";
import type { FrontierEntry } from "./frontier.ts";
import { normaliseUrl } from "./page-url.ts";
import type { CrawlLimits, CrawlParts } from "./site-crawl.ts";
import type { SiteTemplate } from "./site-template.ts";

export interface LoadedPage extends PageReading {
  readonly status: number;
  /** Of a language model, used for it. */
  readonly tokens?: number;
}

type Loaded = LoadedPage | { readonly skipped: "robots" | "type" | "scope" } | { readonly redirect: string };

/** Fetches what the frontier holds, and opens it in the browser where that is wanted. */
export type LoadEntry = (entry: FrontierEntry) => Promise<Loaded>;

const maxHops = 10;

export function createPageLoader(limits: CrawlLimits, parts: CrawlParts, siteTemplate: SiteTemplate): LoadEntry {
  const { settings, pool, plan, signal, isInScope, state } = parts;
  const { delayMs, timeoutMs, maxBytes, render, waitFor, takesScreenshots, pagination } = limits;
  const scrolls = pagination?.type === "infinite_scroll" ? pagination.scrolls : 0;
  const request = { signal, timeoutMs, maxBytes, delayMs };
  const luck = new RenderingLuck();
  const parse: ParseBody = (page) =>
    pool.parse({ ...page, plan, language: state.languageOf(page.url), template: siteTemplate.of(page.url) });
  const inBrowser = (url: string): Promise<PageReading> =>
    readRendered(url, { ...request, waitFor, scrolls, takesScreenshot: takesScreenshots }, { settings, parse });

  const read = async (url: string, body: Uint8Array, contentType: string): Promise<PageReading> => {
    if (render === "always") return inBrowser(url);
    const parsed = await parse({ url, body, contentType });
    const reading: PageReading = { url, bytes: body.length, parsed, readBy: "html" };
    if (parsed.refresh !== undefined || render === "never" || !luck.isWorthIt(parsed)) return reading;
    return readBest(reading, () => inBrowser(url), luck);
  };

  const redirect = (from: string, location: string, hops: number): Loaded => {
    const target = normaliseUrl(location, from);
    if (target === undefined || hops >= maxHops || target === from) {
      throw new JobFailure("too_many_redirects", "The server redirects in a circle, too often or nowhere.");
    }
    return isInScope(target) ? { redirect: target } : { skipped: "scope" };
  };

  return async ({ url, hops }) => {
    const fetched = await fetchPage(url, request, settings);
    if (fetched.type === "robots") return { skipped: "robots" };
    if (fetched.type === "other") return { skipped: "type" };
    if (fetched.type === "redirect") return redirect(url, fetched.to, hops);
    const { response, contentType } = fetched;
    const reading = await read(url, response.body, contentType);
    const { refresh } = reading.parsed;
    if (refresh !== undefined) return redirect(url, refresh, hops);
    if (reading.url !== url && !isInScope(reading.url)) return { skipped: "scope" };
    return { ...reading, status: response.status };
  };
}
