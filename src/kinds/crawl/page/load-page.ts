import type { RequestOf } from "../contract.ts";
import { JobFailure } from "../../../job/failure.ts";
import type { Json } from "../../../job/json.ts";
import type { CrawlSettings } from "../crawl-settings.ts";
import { fetchPage, type PageFetch } from "./fetch-page.ts";
import { normaliseUrl } from "../site/page-url.ts";
import type { ExtractedData } from "../parse/fill-shape.ts";
import type { ParsedPage, ParsePlan } from "../parse/parse-plan.ts";
import type { ParsePool } from "../parse/parse-pool.ts";
import { renderPage } from "./render-page.ts";
import { parseUrl } from "../../../job/parse-url.ts";

/** The part of a request that says how one page is fetched and what is taken from it. */
export type PageRequest = Pick<
  RequestOf<"extract">,
  "fields" | "schema" | "selectors" | "list_selector" | "render" | "wait_for" | "page_timeout_ms" | "max_page_mb"
> & {
  /** Text that is no page is taken as it is. */
  readonly takesAnyText?: boolean;
};

/** A page with all that was asked for. */
export interface SinglePage extends ExtractedData {
  readonly url: string;
  readonly status: number;
  readonly title: string;
  readonly description: string;
  readonly language: string;
  readonly words: number;
  readonly markdown: string;
  readonly links?: readonly string[];
  readonly metadata?: Json;
  readonly html?: string;
}

export interface LoadTools {
  readonly settings: CrawlSettings;
  readonly pool: ParsePool;
  readonly signal: AbortSignal;
}

const maxRedirects = 10;

/** One page by itself, wherever it redirects to. */
export async function loadPage(start: string, request: PageRequest, tools: LoadTools): Promise<SinglePage> {
  const { pool, settings, signal } = tools;
  const plan = JSON.stringify(toPlan(request));
  const timeoutMs = request.page_timeout_ms;
  const { takesAnyText = false } = request;
  const limits = { signal, timeoutMs, maxBytes: request.max_page_mb * 1_000_000, takesAnyText };
  const { url, response, contentType } = await followToPage(start, limits, settings);
  const { status, body } = response;
  const parse = (at: string, bytes: Uint8Array, type: string): Promise<ParsedPage> =>
    pool.parse({ url: at, body: bytes, contentType: type, plan });
  const parsed = request.render === "always" ? undefined : await parse(url, body, contentType);
  if (parsed !== undefined && !(request.render === "auto" && parsed.isScripted))
    return toSinglePage(url, status, parsed);
  const shown = await renderPage(settings.browser, url, { timeoutMs, waitFor: request.wait_for, signal });
  const reached = normaliseUrl(shown.url) ?? url;
  const rendered = await parse(reached, new TextEncoder().encode(shown.html), "text/html; charset=utf-8");
  return toSinglePage(reached, status, rendered);
}

function toPlan({ fields, schema, selectors, list_selector: listSelector }: PageRequest): ParsePlan {
  return {
    fields: ["markdown", ...fields.filter((field) => field !== "screenshot" && field !== "markdown")],
    schema,
    selectors,
    listSelector,
  };
}

type FetchedPage = Extract<Awaited<ReturnType<typeof fetchPage>>, { type: "page" }>;

async function followToPage(
  start: string,
  limits: PageFetch,
  settings: CrawlSettings,
): Promise<FetchedPage & { readonly url: string }> {
  let url = start;
  for (let redirects = 0; redirects <= maxRedirects; redirects++) {
    const fetched = await fetchPage(url, limits, settings);
    if (fetched.type === "page") return { ...fetched, url };
    if (fetched.type === "robots") throw robotsFailure(url);
    if (fetched.type === "other") {
      throw new JobFailure("not_a_page", `${url} is ${fetched.contentType}: only HTML and text are read.`, {
        retryable: false,
      });
    }
    const next = parseUrl(fetched.to, url);
    if (next === undefined) break;
    url = next.href;
  }
  throw new JobFailure("too_many_redirects", `${start} redirects too often or nowhere.`, { retryable: false });
}

export function robotsFailure(url: string): JobFailure {
  return new JobFailure("robots", `${url} may not be fetched: its robots.txt forbids it.`, { retryable: false });
}

function toSinglePage(url: string, status: number, { title, fields }: ParsedPage): SinglePage {
  return {
    url,
    status,
    title,
    ...(JSON.parse(`{${fields}`) as Omit<SinglePage, "url" | "status" | "title">),
  };
}
