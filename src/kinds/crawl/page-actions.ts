import type { RequestOf } from "../../job/crawl-request.ts";
import { JobFailure } from "../../job/failure.ts";
import type { Json } from "../../job/json.ts";
import { modelMissing } from "./missing-settings.ts";
import { loadPage, type LoadTools, type PageRequest, type SinglePage } from "./load-page.ts";

/** What a result may hold of one page: the job's record is no place for more. */
const longestShown = 500_000;

export async function pageToMarkdown({ url, ...request }: RequestOf<"markdown">, tools: LoadTools): Promise<object> {
  const page = await loadPage(url, request, tools);
  const isCut = page.markdown.length > longestShown;
  return {
    action: "markdown",
    ...page,
    markdown: page.markdown.slice(0, longestShown),
    ...(isCut ? { is_cut: true } : {}),
  };
}

export async function extractFromPage(
  { url, prompt, ...request }: RequestOf<"extract">,
  tools: LoadTools,
): Promise<object> {
  const extracted = await extractData(url, request, prompt, tools);
  return { action: "extract", ...extracted };
}

export interface ExtractedData {
  readonly url: string;
  readonly title: string;
  readonly data: Json;
  readonly missing: readonly string[];
  /** `rules`: what the page says for machines, and selectors; `model`: a language model. */
  readonly method: "rules" | "model";
  readonly model?: string;
  readonly tokens?: number;
}

/** By rules, and by a language model where one is configured and rules have found less than half of what is wanted. */
export async function extractData(
  url: string,
  request: PageRequest,
  prompt: string | undefined,
  tools: LoadTools,
): Promise<ExtractedData> {
  const { settings, signal } = tools;
  const { schema } = request;
  if (schema === undefined && prompt !== undefined && settings.model === undefined) {
    throw new JobFailure("model_missing", modelMissing, { retryable: false });
  }
  const page = await loadPage(url, request, tools);
  const { data = null, missing = [] } = page;
  const byRules = { url: page.url, title: page.title, data, missing, method: "rules" } as const;
  if (settings.model === undefined || (prompt === undefined && isGoodEnough(page))) return byRules;
  const wanted = {
    text: page.markdown,
    url: page.url,
    ...(schema === undefined ? {} : { schema }),
    ...(prompt === undefined ? {} : { prompt }),
  };
  const answer = await settings.model.extract(wanted, signal);
  return { ...byRules, ...answer, missing: [], method: "model" };
}

function isGoodEnough({ data, missing = [] }: SinglePage): boolean {
  if (Array.isArray(data)) return data.length > 0;
  const found = typeof data === "object" && data !== null ? Object.keys(data).length : 0;
  return found >= missing.length;
}
