import { assertNever } from "../../../job/error.ts";
import { isRecord } from "../../../job/is-record.ts";
import type { Job } from "../../../job/job.ts";
import type { Json } from "../../../job/json.ts";
import { isTerminal } from "../../../job/state.ts";
import type { OperationContext } from "../../../operations/operation.ts";
import { countCrawled, creditsOf } from "./credits.ts";
import { findSearchclawJob, toSearchclawId } from "./job-id.ts";
import { readPages, type JobItems, type PageRange } from "./job-items.ts";
import { durationMs, toReply } from "./replies.ts";
import { countOf, type Reply } from "./reply.ts";
import { tellEnd } from "./tell-end.ts";

type Status = "queued" | "processing" | "completed" | "partial" | "failed";

/** Where a job stands, with what it has brought once it has ended, however it ended: as much as fits, from the cursor on. */
export async function readJobStatus(context: OperationContext, id: string, range: PageRange): Promise<Reply> {
  const job = await findSearchclawJob(id, context);
  const { input, result = null } = await context.engine.payload(job.id, context.actor);
  const status = toStatus(job);
  const isUsable = status === "completed" || status === "partial";
  const found = isTerminal(job.state) ? await readItems(context, job, input, range) : { items: [], pages: 0 };
  const progress = toProgress(job, { input, result }, found, range);
  return {
    job_id: toSearchclawId(job),
    status,
    progress,
    data: isUsable || found.items.length > 0 ? found.items : null,
    error: status === "failed" ? tellEnd(job) : null,
    meta: isUsable
      ? {
          total_items: progress.items_extracted,
          pages_crawled: progress.pages_crawled,
          credits_used: creditsOf(job, result),
          duration_ms: durationMs(job),
        }
      : null,
    ...toNext(found, progress.items_extracted),
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

interface Payload {
  readonly input: Json;
  readonly result: Json;
}

interface Progress {
  readonly [field: string]: Json;
  readonly pages_crawled: number;
  readonly total_pages: number | null;
  readonly items_extracted: number;
}

/** How many pages there will be nobody knows before the end: until then it is how many are wanted at most. */
function toProgress(job: Job, { input, result }: Payload, found: JobItems, { cursor }: PageRange): Progress {
  if (job.state.status === "queued") return { pages_crawled: 0, total_pages: null, items_extracted: 0 };
  const digest = isRecord(result) ? result : {};
  const isCrawl = job.kind === "crawl" && job.key === "crawl";
  const counted = isCrawl ? countCrawled(job, digest) : 0;
  if (!isTerminal(job.state)) {
    const wanted = isCrawl && isRecord(input) ? (input["max_pages"] ?? null) : null;
    return { pages_crawled: counted, total_pages: wanted === null ? null : countOf(wanted), items_extracted: counted };
  }
  const crawled = Math.max(counted, found.pages);
  const isWhole = cursor === 0 && found.next === undefined;
  const items = isWhole ? found.items.length : Math.max(found.items.length, countOf(digest["pages"]) || counted);
  return { pages_crawled: crawled, total_pages: crawled, items_extracted: items };
}

/** A crawl's pages, which are there even if it failed; of any other job the one thing that it has returned. */
async function readItems(context: OperationContext, job: Job, input: Json, range: PageRange): Promise<JobItems> {
  if (job.kind === "crawl" && isRecord(input) && input["action"] === "crawl") return readPages(context, job.id, range);
  if (job.state.status !== "succeeded") return { items: [], pages: 0 };
  return { items: [await toReply(context, job)], pages: 1 };
}

function toNext({ items, next }: JobItems, total: number): Reply {
  if (next === undefined) return {};
  const note = `Here are ${items.length} of ${total} items; job_status with cursor ${next} has those that follow.`;
  return { next_cursor: next, note };
}
