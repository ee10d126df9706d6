import { isRecord } from "../../../job/is-record.ts";
import type { Job } from "../../../job/job.ts";
import type { Json } from "../../../job/json.ts";
import { isUnread } from "./check-text.ts";
import { countOf, listOf, type Reply } from "./reply.ts";

/** Marks a search whose results were put together for a language model, which counts twice. */
export const searchForModelTag = "search_ai";

/** What SearchClaw would count for a job: a credit for each page and each search, another where a model was asked. Nothing is charged. */
export function creditsOf(job: Job, given: Json): number {
  const result = isRecord(given) ? given : {};
  if (job.kind === "agent") return countOf(result["tool_calls"]);
  if (job.key === "crawl") return countCrawled(job, result);
  if (job.state.status !== "succeeded" || isUnread(job, given)) return 0;
  switch (job.key ?? "") {
    case "pipeline":
      return 1 + countExtracted(result);
    case "extract":
      return result["method"] === "model" ? 2 : 1;
    case "search":
      return job.tags.includes(searchForModelTag) ? 2 : 1;
    default:
      return 1;
  }
}

/** Of the results of a pipeline those that could be read. */
export function countExtracted({ results }: Reply): number {
  return listOf(results).filter(({ error }) => error === undefined).length;
}

/** Pages of a crawl, those that failed among them once it has told of them. */
export function countCrawled({ state }: Job, { pages, failed }: Reply): number {
  if (pages !== undefined) return countOf(pages) + countOf(failed);
  return state.status === "queued" ? 0 : (state.progress?.counts?.done ?? 0);
}
