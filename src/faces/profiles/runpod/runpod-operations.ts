import { defined } from "../../../job/defined.ts";
import { LonghaulError } from "../../../job/error.ts";
import type { Job } from "../../../job/job.ts";
import type { Json } from "../../../job/json.ts";
import { isTerminal } from "../../../job/state.ts";
import { endpointHealth, endpointPurge } from "../../../operations/endpoint.ts";
import { runEndpoint } from "../../../operations/start-operations.ts";
import type { OperationContext } from "../../../operations/operation.ts";
import { tryParseJson } from "../../../text/parse-json.ts";
import type { RunpodRequest } from "./request.ts";
import { toRunpodReply, toRunpodStatus } from "./runpod-status.ts";

export type RunpodReply = Record<string, Json>;

const readBytes = 1_000_000;

/** Submits a job; the caller waits for it if it wants to. */
export async function runJob(context: OperationContext, endpoint: string, request: RunpodRequest): Promise<Job> {
  const { input, policy, s3Config, webhook } = request;
  const call = { endpoint, input, policy, s3Config, ...toWebhook(context, endpoint, webhook) };
  const { id } = await runEndpoint.call(context, call);
  return context.engine.get(id, context.actor);
}

/** A platform calls by itself, with its own id; for a local endpoint we do, where the configuration allows the address. */
function toWebhook({ server }: OperationContext, endpoint: string, url: string | undefined): object {
  if (url === undefined) return {};
  const isLocal = server.endpoints?.list().some(({ name, type }) => name === endpoint && type === "local") === true;
  return isLocal ? { webhook: { url, on: ["end"] } } : { platform_webhook: url };
}

/** The job, if it is one of this endpoint. */
export async function findJobOf(context: OperationContext, endpoint: string, id: string): Promise<Job> {
  const job = await context.engine.get(id, context.actor);
  if (job.kind === "endpoint" && job.key === endpoint) return job;
  throw new LonghaulError("not_found", `There is no job ${id} of endpoint ${endpoint}.`);
}

/** All that RunPod tells of a job. */
export async function statusOf(context: OperationContext, job: Job): Promise<RunpodReply> {
  const { engine, actor } = context;
  const { status } = job.state;
  const isOver = isTerminal(job.state);
  const [result, live, diagnosis] = await Promise.all([
    status === "succeeded" ? engine.result(job.id, actor) : undefined,
    status === "queued" ? inspectQueue(context, job) : isOver ? undefined : engine.inspect(job.id, actor),
    status === "queued" ? engine.diagnose(job.id, actor) : undefined,
  ]);
  return toRunpodReply(job, defined({ result, live, reason: diagnosis?.reason }));
}

/** The workers of a job that is in our own queue. Why it is there we know ourselves, unless they keep breaking. */
async function inspectQueue({ server }: OperationContext, job: Job): Promise<Record<string, Json>> {
  const queue = await server.endpoints?.queueHint(job.key ?? "").catch(() => undefined);
  if (queue === undefined) return {};
  return { worker_health: { ...queue.workers }, ...(queue.workers.unhealthy > 0 ? { hint: queue.hint } : {}) };
}

/** Waits for the end, at most so long, and tells where the job stands then. */
export async function waitForEnd(context: OperationContext, job: Job, timeoutMs: number): Promise<Job> {
  const { engine, actor, signal } = context;
  if (isTerminal(job.state)) return job;
  const { jobs } = await engine.wait(job.id, { timeoutMs, ...actor, signal });
  return jobs[0] ?? job;
}

/** The chunks of a job's stream from an offset on, about so many bytes of them but at least one; where to read on, and how far was looked. */
export async function readChunks(
  { engine, actor }: OperationContext,
  job: Job,
  options: { from: number; maxBytes: number },
): Promise<{ chunks: Json[]; next: number; end: number; isMore: boolean }> {
  let text = Buffer.alloc(0);
  let end = options.from;
  let size = end;
  const { attempt } = job.state;
  while (text.length < options.maxBytes || !text.includes(0x0a)) {
    const slice = await engine.readOutput(job.id, { attempt, from: end, limit: readBytes }, actor);
    size = slice.size;
    if (slice.bytes.length === 0) break;
    text = Buffer.concat([text, slice.bytes]);
    end = slice.next;
  }
  // A line that is not whole is left for the next read.
  const whole = text.subarray(0, text.lastIndexOf(0x0a) + 1);
  const lines = whole
    .toString()
    .split("\n")
    .filter((line) => line !== "");
  // The middle of a very long stream is not kept, and its edges may be no whole lines.
  const chunks = lines.map(tryParseJson).filter((chunk) => chunk !== undefined);
  return {
    chunks: chunks.slice(chunks.findLastIndex(isRestart) + 1),
    next: end - (text.length - whole.length),
    end,
    isMore: end < size,
  };
}

/** A local job that lost its server has begun anew, and its stream with it. */
function isRestart(chunk: Json): boolean {
  return typeof chunk === "object" && chunk !== null && "restarted" in chunk;
}

/** Waits for the end, at most so long: what is shown is how the job stands then. */
export async function cancelJob(context: OperationContext, job: Job, waitMs: number): Promise<RunpodReply> {
  const cancelled = await context.engine.cancel(job.id, "cancelled by its client", context.actor);
  const { output: _output, error: _error, ...reply } = toRunpodReply(await waitForEnd(context, cancelled, waitMs));
  return reply;
}

export async function retryJob(context: OperationContext, job: Job): Promise<RunpodReply> {
  const status = toRunpodStatus(job);
  if (status !== "FAILED" && status !== "TIMED_OUT") {
    throw new LonghaulError(
      "invalid_input",
      `Job ${job.id} is ${status}: only FAILED and TIMED_OUT jobs can be retried.`,
    );
  }
  const { id } = await context.engine.retry(job.id, context.actor);
  return { id, status: "IN_QUEUE" };
}

export async function healthOf(context: OperationContext, endpoint: string): Promise<RunpodReply> {
  const { jobs, workers } = await endpointHealth.call(context, { endpoint });
  return { jobs, workers };
}

export async function purgeQueue(context: OperationContext, endpoint: string): Promise<RunpodReply> {
  return await endpointPurge.call(context, { endpoint });
}
