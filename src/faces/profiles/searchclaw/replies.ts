import type { CrawlAction } from "../../../kinds/crawl/contract.ts";
import { elapsedMs } from "../../../job/elapsed.ts";
import { LonghaulError } from "../../../job/error.ts";
import { isRecord } from "../../../job/is-record.ts";
import type { Job } from "../../../job/job.ts";
import { isTerminal } from "../../../job/state.ts";
import type { OperationContext } from "../../../operations/operation.ts";
import { parseUrl } from "../../../job/parse-url.ts";
import { toAgentReply } from "./agent-reply.ts";
import { toActionResult } from "./browse.ts";
import { creditsOf } from "./credits.ts";
import { toSearchclawId } from "./job-id.ts";
import { listOf, textOf, type Facts, type Reply } from "./reply.ts";
import { toSearchReply } from "./search-reply.ts";

type Single = Exclude<CrawlAction, "crawl">;
type ToReply = (facts: Facts, context: OperationContext, job: Job) => Reply | Promise<Reply>;

const imageReadBytes = 1_000_000;
/** What one reply carries; a picture is in there three times. */
const maxImageBytes = 8_000_000;
/** Nobody has asked for pieces of the text. */
const unchunked = { chunks: null, total_chunks: null };

const replies: Readonly<Record<Single, ToReply>> = {
  search: toSearchReply,
  extract: ({ input, result, responseMs, credits }) => {
    const { data = null, text } = result;
    const method = result["method"] === "model" ? "llm" : "rule";
    return {
      url: addressOf(input),
      data: text ?? data,
      meta: {
        cached: false,
        response_time_ms: responseMs,
        credits_used: credits,
        extraction_method: text === undefined ? method : "raw",
        model_used: result["model"] ?? null,
        tokens_used: result["tokens"] ?? null,
        page_title: result["title"] ?? null,
      },
      ...unchunked,
    };
  },
  markdown: ({ input, result, credits }) => ({
    url: addressOf(input),
    title: result["title"] ?? null,
    markdown: result["markdown"] ?? "",
    meta: { word_count: result["words"] ?? 0, cached: false, credits_used: credits },
    ...unchunked,
  }),
  screenshot: async ({ input, result, credits }, context, job) => {
    const [image = ""] = await readImages(context, job, [result]);
    const meta = { cached: false, credits_used: credits };
    return { url: addressOf(input), format: result["format"] ?? "png", image_base64: image, meta };
  },
  map: ({ input, result, credits }) => ({
    success: true,
    url: addressOf(input),
    total_discovered: result["discovered"] ?? result["total"] ?? 0,
    urls: listOf(result["urls"]).map(({ url = "", title = null, source }) => ({
      url,
      title,
      source: source === "sitemap" ? "sitemap" : "crawl",
    })),
    credits_used: credits,
  }),
  pipeline: ({ result, responseMs, credits }) => ({
    query: result["query"] ?? "",
    results: listOf(result["results"]).map(
      ({ url = "", title = "", data = null, text, error = null, note = error }) => ({
        url,
        title,
        extracted_data: text === undefined ? data : { raw_text: text },
        error: text === "" ? note : error,
        ...unchunked,
      }),
    ),
    meta: {
      search_credits: 1,
      extract_credits: credits - 1,
      total_credits: credits,
      response_time_ms: responseMs,
      cached: false,
    },
    more_results: result["more_results"] ?? [],
  }),
  browse: async ({ input, result, credits }, context, job) => ({
    success: result["success"] ?? false,
    url: addressOf(input),
    results: (await withImages(listOf(result["results"]), context, job)).map(toActionResult),
    final_url: result["final_url"] ?? "",
    credits_used: credits,
  }),
};

/** The page that was asked for, wherever it has led: by it a caller knows which one the reply is about. */
function addressOf({ url = "" }: Reply): string {
  return parseUrl(textOf(url))?.href ?? textOf(url);
}

/** What the tool that starts such a job answers, from a job that has succeeded. Jobs of other kinds answer with their result. */
export async function toReply(context: OperationContext, job: Job): Promise<Reply> {
  const { engine, actor } = context;
  const { input, result = null } = await engine.payload(job.id, actor);
  if (job.kind === "agent") return toAgentReply(job, result);
  if (job.kind !== "crawl" || !isRecord(input) || !isRecord(result)) return isRecord(result) ? result : { result };
  const facts = { input, result, responseMs: durationMs(job), credits: creditsOf(job, result) };
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
