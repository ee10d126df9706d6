import { assertNever } from "../../../job/error.ts";
import type { Job } from "../../../job/job.ts";
import { isTerminal } from "../../../job/state.ts";
import { crawlPages } from "../../../operations/crawl-pages.ts";
import type { OperationContext } from "../../../operations/operation.ts";
import { endMessage } from "../outcome.ts";
import { findSearchclawJob, toSearchclawId } from "./job-id.ts";
import { durationMs, toReply } from "./replies.ts";
import { creditsPerJob, isReply, type Reply } from "./reply.ts";

type Status = "queued" | "processing" | "completed" | "partial" | "failed";

/** More pages than a reply carries are left out, and the reply says so. */
const mostBytes = 4_000_000;
const pagesPerRead = 1_000;

/** Where a job stands, with all that it has brought once it has ended, however it ended. */
export async function readJobStatus(context: OperationContext, id: string): Promise<Reply> {
  const job = await findSearchclawJob(id, context);
  const status = toStatus(job);
  const { items, isCut } = await readItems(context, job);
  const done = job.state.status === "queued" ? undefined : job.state.progress?.counts;
  const crawled = isTerminal(job.state) && !isCut ? Math.max(done?.done ?? 0, items.length) : (done?.done ?? 0);
  const total = isCut ? crawled : items.length;
  const isUsable = status === "completed" || status === "partial";
  return {
    job_id: toSearchclawId(job),
    status,
    progress: hasStarted(job)
      ? {
          pages_crawled: crawled,
          total_pages: isTerminal(job.state) ? crawled : (done?.total ?? null),
          items_extracted: isTerminal(job.state) ? total : crawled,
        }
      : null,
    data: isUsable || items.length > 0 ? items : null,
    error: status === "failed" ? endMessage(job) : null,
    meta: isUsable
      ? {
          total_items: total,
          pages_crawled: crawled,
          credits_used: creditsPerJob,
          duration_ms: durationMs(job),
        }
      : null,
    ...(isCut ? { note: `Only the first ${items.length} pages fit; GET /v1/jobs/${job.id}/pages has all.` } : {}),
  };
}

function toStatus({ state }: Job): Status {
  switch (state.status) {
    case "queued":
      return "queued";
    case "running":
    case "waiting":
      return "processing";
    case "succeeded":
      return state.partial ? "partial" : "completed";
    case "failed":
    case "timed_out":
    case "cancelled":
      return "failed";
    default:
      return assertNever(state);
  }
}

function hasStarted({ state }: Job): boolean {
  return state.status !== "queued" && state.startedAt !== undefined;
}

/** A crawl's pages, which are there even if it failed; of any other job the one thing that it has returned. */
async function readItems(context: OperationContext, job: Job): Promise<{ items: Reply[]; isCut: boolean }> {
  if (!isTerminal(job.state)) return { items: [], isCut: false };
  const input = job.kind === "crawl" ? await context.engine.input(job.id, context.actor) : null;
  if (isReply(input) && input["action"] === "crawl") return readPages(context, job);
  return { items: job.state.status === "succeeded" ? [await toReply(context, job)] : [], isCut: false };
}

interface Pages {
  readonly pages: readonly Reply[];
  readonly next: number;
  readonly is_complete: boolean;
}

async function readPages(context: OperationContext, { id }: Job): Promise<{ items: Reply[]; isCut: boolean }> {
  const items: Reply[] = [];
  for (let cursor = 0; cursor < mostBytes;) {
    const fields = ["url", "title", "markdown", "data"];
    const read = (await crawlPages.call(context, { id, cursor, limit: pagesPerRead, fields })) as Pages;
    items.push(...read.pages.flatMap(toItems));
    if (read.is_complete || read.next === cursor) return { items, isCut: false };
    cursor = read.next;
  }
  return { items, isCut: true };
}

/** The data of a page and where it comes from; the page itself where no data was asked for. */
function toItems({ url = "", title = "", markdown = "", data }: Reply): Reply[] {
  if (data === undefined) return [{ url, title, markdown }];
  return (Array.isArray(data) ? data : [data]).map((item) => ({ url, ...(isReply(item) ? item : { value: item }) }));
}
