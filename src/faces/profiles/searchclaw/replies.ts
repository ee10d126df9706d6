import type { CrawlAction } from "../../../kinds/crawl/contract.ts";
import { elapsedMs } from "../../../job/elapsed.ts";
import { LonghaulError } from "../../../job/error.ts";
import { isRecord } from "../../../job/is-record.ts";
import type { Job } from "../../../job/job.ts";
import { isTerminal } from "../../../job/state.ts";
import type { OperationContext } from "../../../operations/operation.ts";
import { toSearchclawId } from "./job-id.ts";
import { creditsPerJob, listOf, textOf, type Facts, type Reply } from "./reply.ts";
import { toSearchReply } from "./search-reply.ts";

type Single = Exclude<CrawlAction, "crawl">;
type ToReply = (facts: Facts, context: OperationContext, job: Job) => Reply | Promise<Reply>;

const imageReadBytes = 1_000_000;
/** What one reply carries; a picture is in there three times. */
const maxImageBytes = 8_000_000;
const cost = { cached: false, credits_used: creditsPerJob };

const replies: Readonly<Record<Single, ToReply>> = {
  search: toSearchReply,
  extract: ({ result, responseMs }) => ({
    url: result["url"] ?? "",
    data: result["data"] ?? null,
    meta: {
      cached: false,
      response_time_ms: responseMs,
      credits_used: creditsPerJob,
      extraction_method: result["method"] === "model" ? "llm" : "rule",
      model_used: result["model"] ?? null,
      tokens_used: result["tokens"] ?? 0,
      page_title: result["title"] ?? "",
    },
  }),
  markdown: ({ result }) => ({
    url: result["url"] ?? "",
    title: result["title"] ?? "",
    markdown: result["markdown"] ?? "",
    meta: { word_count: result["words"] ?? 0, ...cost },
  }),
  screenshot: async ({ result }, context, job) => {
    const [image = ""] = await readImages(context, job, [result]);
    return { url: result["url"] ?? "", format: result["format"] ?? "png", image_base64: image, meta: cost };
  },
  map: ({ result }) => ({
    success: true,
    url: result["url"] ?? "",
    total_discovered: result["total"] ?? 0,
    urls: listOf(result["urls"]).map(({ url = "", title, source }) => ({
      url,
      ...(title === undefined ? {} : { title }),
      source: source === "sitemap" ? "sitemap" : "crawl",
    })),
    credits_used: creditsPerJob,
  }),
  pipeline: ({ result, responseMs }) => ({
    query: result["query"] ?? "",
    results: [...listOf(result["results"]), ...listOf(result["more_results"])].map((found) => ({
      url: found["url"] ?? "",
      title: found["title"] ?? "",
      extracted_data: found["data"] ?? null,
      ...(found["error"] === undefined ? {} : { error: found["error"] }),
    })),
    meta: {
      search_credits: creditsPerJob,
      extract_credits: 0,
      total_credits: creditsPerJob,
      response_time_ms: responseMs,
      cached: false,
    },
  }),
  browse: async ({ result }, context, job) => ({
    success: result["success"] ?? false,
    url: result["url"] ?? "",
    results: await withImages(listOf(result["results"]), context, job),
    final_url: result["final_url"] ?? "",
    credits_used: creditsPerJob,
  }),
};

/** What the tool that starts such a job answers, from a job that has succeeded. Jobs of other kinds answer with their result. */
export async function toReply(context: OperationContext, job: Job): Promise<Reply> {
  const { engine, actor } = context;
  const { input, result = null } = await engine.payload(job.id, actor);
  if (job.kind !== "crawl" || !isRecord(input) || !isRecord(result)) return isRecord(result) ? result : { result };
  const facts = { input, result, responseMs: durationMs(job) };
  return replies[input["action"] as Single](facts, context, job);
}

/** From submit to the end. */
export function durationMs({ state }: Job): number {
  return isTerminal(state) ? elapsedMs(state.acceptedAt, state.finishedAt) : 0;
}

/** With each picture itself, in the place where the result says where it is. */
async function withImages(done: readonly Reply[], context: OperationContext, job: Job): Promise<Reply[]> {
  const taken = done.filter(isTaken).map(({ data = null }) => data as Reply);
  const images = (await readImages(context, job, taken)).values();
  return done.map((result) => (isTaken(result) ? { ...result, data: images.next().value ?? "" } : result));
}

function isTaken({ action, data = null }: Reply): boolean {
  return action === "screenshot" && isRecord(data);
}

/** The pictures of a job in base64, from what its result says of them: in which stream each is, and how big. */
async function readImages(context: OperationContext, job: Job, images: readonly Reply[]): Promise<string[]> {
  const total = images.reduce((sum, { bytes }) => sum + Number(bytes), 0);
  if (total > maxImageBytes) {
    const streams = images.map(({ stream }) => textOf(stream)).join(", ");
    throw new LonghaulError(
      "too_large",
      `The pictures have ${total} bytes, and a reply carries ${maxImageBytes}: read them from job ${toSearchclawId(job)}, output ${streams}.`,
    );
  }
  return Promise.all(images.map(({ stream }) => readImage(context, job, textOf(stream))));
}

async function readImage({ engine, actor }: OperationContext, job: Job, stream: string): Promise<string> {
  const parts: Uint8Array[] = [];
  for (let from = 0; ;) {
    const { bytes, next } = await engine.readOutput(job.id, { stream, from, limit: imageReadBytes }, actor);
    if (bytes.length === 0) return Buffer.concat(parts).toString("base64");
    parts.push(bytes);
    from = next;
  }
}
