import { defined } from "../../../job/defined.ts";
import { demand } from "../../../engine/access.ts";
import { LonghaulError } from "../../../job/error.ts";
import type { Job } from "../../../job/job.ts";
import type { Json } from "../../../job/json.ts";
import { isTerminal } from "../../../job/state.ts";
import { endpointHealth, endpointPurge } from "../../../operations/endpoint.ts";
import { runEndpoint } from "../../../operations/start-operations.ts";
import type { OperationContext } from "../../../operations/operation.ts";
import { tryParseJson } from "../../../text/parse-json.ts";
import type { RunpodRequest } from "./request.ts";
import { isFinal, toRunpodReply, toRunpodStatus, type RunpodFacts } from "./runpod-status.ts";

export type RunpodReply = Record<string, Json>;

const readBytes = 1_000_000;
/** From the platform's word that a job has ended to its end here. */
const settleMs = 5_000;
/** The SDK gives up after three seconds. */
const retryWaitMs = 2_000;
/** While somebody waits, the platform is asked so often at first, and so seldom in the end. */
const firstLookMs = 20;
const maxLookMs = 1_000;

/** Submits a job; the caller waits for it if it wants to. */
export async function runJob(context: OperationContext, endpoint: string, request: RunpodRequest): Promise<Job> {
  const { input, policy, s3Config, webhook } = request;
  const call = { endpoint, input, policy, s3Config, ...toWebhook(context, endpoint, webhook) };
  const { id } = await runEndpoint.call(context, call);
  return context.engine.get(id, context.actor);
}

/** What RunPod says to a submission: throws if the platform refuses the job, and says so if it does not take it yet. */
export async function acceptanceOf(context: OperationContext, job: Job, waitMs: number): Promise<RunpodReply> {
  // There is no room for it yet; a job for which there is has been taken when it is stored.
  if (job.state.status === "queued") return { id: job.id, status: "IN_QUEUE" };
  return awaitAcceptance(context, job, waitMs);
}

async function awaitAcceptance(context: OperationContext, job: Job, waitMs: number): Promise<RunpodReply> {
  const accepted = { id: job.id, status: "IN_QUEUE" };
  if (isLocal(context, job.key ?? "")) return accepted;
  const { engine, actor, signal } = context;
  let live: Record<string, Json> = {};
  const isDecided = async (): Promise<boolean> => {
    live = await engine.inspect(job.id, actor);
    return typeof live["remote_id"] === "string" || live["put_off"] === true;
  };
  const { jobs } = await engine.wait(job.id, { until: isDecided, timeoutMs: waitMs, ...actor, signal });
  throwIfRefused(jobs[0] ?? job);
  const why = live["last_error"];
  return live["put_off"] === true && typeof why === "string"
    ? { ...accepted, hint: `The platform does not take the job yet; it is kept here and offered again: ${why}` }
    : accepted;
}

/** A job that its platform has refused was never one of the platform's. */
export function throwIfRefused({ state }: Job): void {
  if (state.status !== "failed" || state.failure.code !== "not_submitted") return;
  const { status, body } = state.failure.details ?? {};
  const code = status === 404 ? "not_found" : status === 400 || status === 422 ? "invalid_input" : "unavailable";
  const facts = {
    ...(typeof status === "number" ? { status } : {}),
    ...(typeof body === "string" ? { body } : {}),
  };
  throw new LonghaulError(code, state.failure.message, { details: facts });
}

/** A platform calls by itself, with its own id; for a local endpoint we do, where the configuration allows the address. */
function toWebhook(context: OperationContext, endpoint: string, url: string | undefined): object {
  if (url === undefined) return {};
  return isLocal(context, endpoint) ? { webhook: { url, on: ["end"] } } : { platform_webhook: url };
}

function isLocal({ server }: OperationContext, endpoint: string): boolean {
  return server.endpoints?.list().some(({ name, type }) => name === endpoint && type === "local") === true;
}

/** The job, if it is one of this endpoint; undefined if only the platform may know it, and the caller may ask there. */
export async function findJobOf(context: OperationContext, endpoint: string, id: string): Promise<Job | undefined> {
  const { engine, actor } = context;
  try {
    const job = await engine.get(id, actor);
    if (job.kind === "endpoint" && job.key === endpoint) return job;
  } catch (error) {
    const isUnknown = error instanceof LonghaulError && error.code === "not_found";
    if (isUnknown && actor.owner === undefined && !isLocal(context, endpoint)) return undefined;
    throw error;
  }
  throw new LonghaulError("not_found", `There is no job ${id} of endpoint ${endpoint}.`);
}

/** All that RunPod tells of a job, as its platform tells it now. */
export async function statusOf(context: OperationContext, job: Job): Promise<RunpodReply> {
  const { engine, actor } = context;
  const { job: now, live } = await lookAt(context, job);
  const { status } = now.state;
  const isRemote = !isLocal(context, now.key ?? "");
  if (status === "queued") {
    const [queue, diagnosis] = await Promise.all([inspectQueue(context, now), engine.diagnose(now.id, actor)]);
    return toRunpodReply(now, { isRemote, live: queue, ...defined({ reason: diagnosis?.reason }) });
  }
  const result = status === "succeeded" ? await engine.result(now.id, actor) : undefined;
  return toRunpodReply(now, { isRemote, live, ...defined({ result }) });
}

/** The job, after its platform was asked about it: one that has ended there ends here first. */
async function lookAt(
  context: OperationContext,
  job: Job,
): Promise<{ job: Job } & Required<Pick<RunpodFacts, "live">>> {
  const { engine, actor } = context;
  if (isTerminal(job.state) || job.state.status === "queued") return { job, live: {} };
  const live = await engine.inspect(job.id, actor);
  if (isFinal(live["remote_status"])) await engine.wait(job.id, { timeoutMs: settleMs, ...actor });
  return { job: await engine.get(job.id, actor), live };
}

/** The workers of a job that is in our own queue. Why it is there we know ourselves, unless they keep breaking. */
async function inspectQueue({ server }: OperationContext, job: Job): Promise<Record<string, Json>> {
  const queue = await server.endpoints?.queueHint(job.key ?? "").catch(() => undefined);
  if (queue === undefined) return {};
  return { worker_health: { ...queue.workers }, ...(queue.workers.unhealthy > 0 ? { hint: queue.hint } : {}) };
}

/** Waits for the end, at most so long, and tells where the job stands then. A platform is asked often while somebody waits. */
export async function waitForEnd(context: OperationContext, job: Job, timeoutMs: number): Promise<Job> {
  const { engine, actor, signal } = context;
  const endsAt = performance.now() + timeoutMs;
  const isRemote = !isLocal(context, job.key ?? "");
  let seen = job;
  for (let pauseMs = firstLookMs; !isTerminal(seen.state); pauseMs = Math.min(maxLookMs, pauseMs * 1.08)) {
    const leftMs = endsAt - performance.now();
    if (leftMs <= 0 || signal?.aborted === true) return seen;
    const waitMs = isRemote ? Math.min(pauseMs, leftMs) : leftMs;
    const { jobs } = await engine.wait(job.id, { timeoutMs: waitMs, ...actor, signal });
    seen = jobs[0] ?? seen;
    if (isRemote && !isTerminal(seen.state)) await engine.inspect(job.id, actor);
  }
  return seen;
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

/** Says what the platform says, or how the job stands when it has ended, at most so much later. A finished job keeps its output. */
export async function cancelJob(context: OperationContext, job: Job, waitMs: number): Promise<RunpodReply> {
  const { engine, actor } = context;
  demand(actor, "run");
  const { job: now, live } = await lookAt(context, job);
  if (isTerminal(now.state)) return statusOf(context, now);
  const said = await cancelUpstream(context, now, live["remote_id"]);
  if (said === undefined) await engine.cancel(now.id, "cancelled by its client", actor);
  const ended = await waitForEnd(context, await engine.get(now.id, actor), waitMs);
  return said === undefined || ended.state.status === "succeeded" ? statusOf(context, ended) : { ...said, id: now.id };
}

/** First there and then here: what has just ended there keeps what it came to. Undefined if that is not to be had. */
async function cancelUpstream(
  { server }: OperationContext,
  { key = "" }: Job,
  remoteId: Json | undefined,
): Promise<RunpodReply | undefined> {
  if (typeof remoteId !== "string") return undefined;
  const said = await server.endpoints?.relay(key, "cancel", remoteId).catch(() => undefined);
  return said !== undefined && isFinal(said["status"]) ? said : undefined;
}

export async function retryJob(context: OperationContext, job: Job): Promise<RunpodReply> {
  const { job: now } = await lookAt(context, job);
  const status = toRunpodStatus(now);
  if (status !== "FAILED" && status !== "TIMED_OUT") {
    throw new LonghaulError(
      "invalid_input",
      `Job ${now.id} is ${status}: only FAILED and TIMED_OUT jobs can be retried.`,
    );
  }
  return awaitAcceptance(context, await context.engine.retry(now.id, context.actor), retryWaitMs);
}

export async function healthOf(context: OperationContext, endpoint: string): Promise<RunpodReply> {
  const { jobs, workers } = await endpointHealth.call(context, { endpoint });
  return { jobs, workers };
}

export async function purgeQueue(context: OperationContext, endpoint: string): Promise<RunpodReply> {
  return await endpointPurge.call(context, { endpoint });
}
