import type { RequestOf } from "../contract.ts";
import { JobFailure } from "../../../job/failure.ts";
import { completeData, isEmpty, toWish, type CompletedData, type DataRequest } from "./complete-data.ts";
import { loadPage, type LoadTools, type PageRequest, type SinglePage } from "./load-page.ts";
import { isForModel, modelMissing } from "../crawl-settings.ts";
import { PartialResult, type JobContext } from "../../../job/kind.ts";

/** What a result may hold of one page: the job's record is no place for more. */
const longestShown = 500_000;
/** Of a page in which no data was found. */
const longestText = 32_000;

export async function pageToMarkdown({ url, ...request }: RequestOf<"markdown">, tools: LoadTools): Promise<object> {
  const page = await loadPage(url, request, tools);
  const isCut = page.markdown.length > longestShown;
  return toOutcome({
    action: "markdown",
    ...page,
    markdown: page.markdown.slice(0, longestShown),
    ...(isCut ? { is_cut: true } : {}),
  });
}

export async function extractFromPage({ url, ...request }: RequestOf<"extract">, tools: ExtractTools): Promise<object> {
  return toOutcome({ action: "extract", ...(await extractData(url, request, tools)) });
}

/** What was read of a page that scripts make is not all of it, unless they have run. */
function toOutcome(result: object): object {
  return "note" in result ? new PartialResult(result) : result;
}

export interface ExtractTools extends LoadTools {
  /** Tokens that the job has used so far, and may use. */
  readonly spending: Spending;
}

type ExtractRequest = PageRequest & DataRequest;

export interface PageData extends CompletedData {
  readonly url: string;
  readonly title: string;
  readonly read_by: SinglePage["read_by"];
  readonly note?: string;
  /** What the page says, where no data was found in it. */
  readonly text?: string;
}

/** By rules, and for what these do not find by a language model where there is one. */
export async function extractData(url: string, request: ExtractRequest, tools: ExtractTools): Promise<PageData> {
  const { settings, signal, spending } = tools;
  const page = await loadPage(url, request, tools);
  const { title, data = null, missing, is_valid, read_by, note } = page;
  const toPageData = (found: CompletedData): PageData => ({
    url: page.url,
    title,
    read_by,
    ...(note === undefined ? {} : { note }),
    ...found,
    ...(isEmpty(found.data) ? { text: page.markdown.slice(0, longestText) } : {}),
  });
  const wish = toWish(request);
  const { askModel } = settings;
  if (wish === undefined || askModel === undefined || spending.isOver()) {
    const reason = spending.isOver() ? "The job has used up its model_tokens." : modelMissing;
    if (isForModel(request)) throw new JobFailure("model_missing", reason, { retryable: false });
    return toPageData({ data, method: "rules", missing, is_valid });
  }
  const completed = await completeData(page, wish, askModel, signal);
  spending.add(completed.tokens ?? 0);
  if (completed.model_error !== undefined && isEmpty(data)) throw new JobFailure("model_failed", completed.model_error);
  return toPageData(completed);
}

/** The tokens of a language model that a job has used. */
export interface Spending {
  readonly total: () => number;
  /** Whether no more may be used. */
  readonly isOver: () => boolean;
  readonly add: (tokens: number) => void;
}

/** A job that is run again by itself counts anew: what is to be had again costs again. */
export function createSpending(max: number, { progress }: Pick<JobContext, "progress">): Spending {
  let used = 0;
  return {
    total: () => used,
    isOver: () => used >= max,
    add: (tokens) => {
      used += tokens;
      if (tokens > 0) progress({ tokens: used });
    },
  };
}
