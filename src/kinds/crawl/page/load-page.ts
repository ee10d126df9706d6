import type { RequestOf } from "../contract.ts";
import { JobFailure, messageOf } from "../../../job/failure.ts";
import type { Json } from "../../../job/json.ts";
import type { CrawlSettings } from "../crawl-settings.ts";
import { fetchPage, robotsFailure } from "./fetch-page.ts";
import type { ExtractedData } from "../parse/fill-shape.ts";
import type { ParsePlan } from "../parse/parse-plan.ts";
import type { ParsePool } from "../parse/parse-pool.ts";
import { readBest, readRendered, RenderingLuck, type PageReading, type ParseBody } from "./page-reading.ts";
import { readFrames } from "./read-frames.ts";
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
  readonly read_by: PageReading["readBy"];
  /** Why it says less than its readers get to see. */
  readonly note?: string;
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

/** One page by itself, wherever it leads: by redirects, or by a refresh of its own. */
export async function loadPage(start: string, request: PageRequest, tools: LoadTools): Promise<SinglePage> {
  const plan = JSON.stringify(toPlan(request));
  let url = start;
  for (let redirects = 0; redirects <= maxRedirects; redirects++) {
    const step = await openStep(url, request, { ...tools, plan }).catch((error: unknown) => {
      throw url === start ? error : leadsTo(start, url, error);
    });
    if (!("redirect" in step)) return toSinglePage(step);
    const next = parseUrl(step.redirect, url)?.href;
    if (next === undefined) break;
    url = next;
  }
  throw new JobFailure("too_many_redirects", `${start} redirects in a circle, too often or nowhere.`, {
    retryable: false,
  });
}

function toPlan({ fields, schema, selectors, list_selector: listSelector }: PageRequest): ParsePlan {
  return {
    fields: ["markdown", ...fields.filter((field) => field !== "screenshot" && field !== "markdown")],
    schema,
    selectors,
    listSelector,
  };
}

type Step = (PageReading & { readonly status: number }) | { readonly redirect: string };

async function openStep(
  url: string,
  request: PageRequest,
  { plan, pool, settings, signal }: LoadTools & { readonly plan: string },
): Promise<Step> {
  const { page_timeout_ms: timeoutMs, max_page_mb: maxMb, takesAnyText = false, render, wait_for: waitFor } = request;
  const limits = { signal, timeoutMs, maxBytes: maxMb * 1_000_000 };
  const fetched = await fetchPage(url, { ...limits, takesAnyText }, settings);
  if (fetched.type === "redirect") return { redirect: fetched.to };
  if (fetched.type === "robots") throw robotsFailure(url);
  if (fetched.type === "other") {
    throw new JobFailure("not_a_page", `${url} is ${fetched.contentType}: only HTML and text are read.`, {
      retryable: false,
    });
  }
  const { response, contentType } = fetched;
  const parse: ParseBody = (body) => pool.parse({ ...body, plan });
  const inBrowser = (): Promise<PageReading> => readRendered(url, { ...limits, waitFor }, { settings, parse });
  const { status, body } = response;
  if (render === "always") return toStep(status, await inBrowser());
  const page = { url, body, contentType };
  const first = await parse(page);
  if (first.refresh !== undefined) return { redirect: first.refresh };
  const { parsed, bytes } = await readFrames(page, first, { limits, settings, parse });
  const read: PageReading = { url, bytes: body.length + bytes, parsed, readBy: "html" };
  const luck = new RenderingLuck();
  return toStep(status, render === "auto" && luck.isWorthIt(parsed) ? await readBest(read, inBrowser, luck) : read);
}

function toStep(status: number, reading: PageReading): Step {
  const { refresh } = reading.parsed;
  return refresh === undefined ? { status, ...reading } : { redirect: refresh };
}

/** The address that was asked for is not the one that the trouble is about. */
function leadsTo(start: string, url: string, error: unknown): unknown {
  if (!(error instanceof JobFailure) || messageOf(error).includes(url)) return error;
  const { code, retryable, details } = error;
  return new JobFailure(code, `${start} leads to ${url}: ${messageOf(error)}`, { retryable, details, cause: error });
}

function toSinglePage({ url, status, parsed, readBy, note }: Exclude<Step, { redirect: string }>): SinglePage {
  const page = {
    url,
    status,
    title: parsed.title,
    read_by: readBy,
    ...(JSON.parse(`{${parsed.fields}`) as Omit<SinglePage, "url" | "status" | "title" | "read_by">),
  };
  return note === undefined ? page : { ...page, note };
}
