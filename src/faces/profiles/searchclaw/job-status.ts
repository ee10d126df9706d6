import { assertNever } from "../../../job/error.ts";
import { isRecord } from "../../../job/is-record.ts";
import type { Job } from "../../../job/job.ts";
import { isTerminal } from "../../../job/state.ts";
import { crawlPages } from "../../../operations/crawl.ts";
import type { OperationContext } from "../../../operations/operation.ts";
import { endMessage } from "../../mcp/tasks/outcome.ts";
import { findSearchclawJob, toSearchclawId } from "./job-id.ts";
import { durationMs, toReply } from "./replies.ts";
import { creditsPerJob, type Reply } from "./reply.ts";
import { countText } from "../../../text/count-text.ts";

type Status = "queued" | "processing" | "completed" | "partial" | "failed";

/** More pages than a reply carries are left out, and the reply says so. */
const maxBytes = 4_000_000;
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
    ...(isCut
      ? {
          note: `Only ${countText(items.length, "page")} could be shown; GET /v1/jobs/${job.id}/pages has all of them.`,
        }
      : {}),
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
  if (isRecord(input) && input["action"] === "crawl") return readPages(context, job);
  return { items: job.state.status === "succeeded" ? [await toReply(context, job)] : [], isCut: false };
}

type CrawledPage = Awaited<ReturnType<typeof crawlPages.call>>["pages"][number];

async function readPages(context: OperationContext, { id }: Job): Promise<{ items: Reply[]; isCut: boolean }> {
  const items: Reply[] = [];
  for (let cursor = 0; cursor < maxBytes;) {
    const read = await crawlPages.call(context, { id, cursor, limit: pagesPerRead });
    items.push(...read.pages.flatMap(toItems));
    if (read.is_complete || read.next === cursor) return { items, isCut: false };
    cursor = read.next;
  }
  return { items, isCut: true };
}

/** The data of a page and where it comes from; the page itself where no data was asked for. */
function toItems({ url = "", title = "", markdown = "", data }: CrawledPage): Reply[] {
  if (data === undefined) return [{ url, title, markdown }];
  return (Array.isArray(data) ? data : [data]).map((item) => ({ url, ...(isRecord(item) ? item : { value: item }) }));
}
