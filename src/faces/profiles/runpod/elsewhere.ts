import { setTimeout as delay } from "node:timers/promises";
import { LonghaulError } from "../../../job/error.ts";
import { isRecord } from "../../../job/is-record.ts";
import type { Json } from "../../../job/json.ts";
import { relayJob } from "../../../operations/endpoint-platform.ts";
import type { OperationContext } from "../../../operations/operation.ts";
import { tryParseJson } from "../../../text/parse-json.ts";
import type { RunpodReply } from "./runpod-operations.ts";
import { isFinal, queueFacts } from "./runpod-status.ts";

/** A job that somebody else has submitted: only its platform knows it, by the platform's own id. */
export interface Elsewhere {
  readonly endpoint: string;
  readonly id: string;
}

const pauseMs = 1_000;

/** What the platform says, and why it waits if it does. */
export async function statusElsewhere(context: OperationContext, job: Elsewhere): Promise<RunpodReply> {
  return withQueueFacts(context, job, await relayJob(context, { ...job, verb: "status" }));
}

/** As `statusElsewhere`, when the job has ended or the time is over. */
export async function waitElsewhere(context: OperationContext, job: Elsewhere, waitMs: number): Promise<RunpodReply> {
  const { last } = await pollUntilEnd(context, waitMs, () => relayJob(context, { ...job, verb: "status" }));
  return withQueueFacts(context, job, last);
}

/** All that comes until the job has ended or the time is over: the platform gives each chunk once. */
export async function streamElsewhere(context: OperationContext, job: Elsewhere, waitMs: number): Promise<RunpodReply> {
  const stream: Json[] = [];
  const take = async (): Promise<RunpodReply> => {
    const reply = await relayJob(context, { ...job, verb: "stream" });
    if (Array.isArray(reply["stream"])) stream.push(...reply["stream"]);
    return reply;
  };
  const { last } = await pollUntilEnd(context, waitMs, take).catch((error: unknown) => {
    throw withChunks(error, stream);
  });
  return { ...last, stream };
}

/** What was taken is in nobody's hands but ours: it is told with the error. */
function withChunks(error: unknown, stream: Json[]): unknown {
  if (!(error instanceof LonghaulError) || error.details["status"] === undefined) return error;
  const { code, message, details, cause } = error;
  const said = tryParseJson(String(details["body"] ?? ""));
  const body = JSON.stringify({ ...(isRecord(said) ? said : { error: details["body"] ?? "" }), stream });
  return new LonghaulError(code, message, { details: { ...details, body }, cause });
}

async function pollUntilEnd(
  { signal }: OperationContext,
  waitMs: number,
  ask: () => Promise<RunpodReply>,
): Promise<{ last: RunpodReply }> {
  const endsAt = performance.now() + waitMs;
  for (;;) {
    const last = await ask();
    const leftMs = endsAt - performance.now();
    if (isFinal(last["status"]) || leftMs <= 0 || signal?.aborted === true) return { last };
    await delay(Math.min(pauseMs, leftMs), undefined, { signal }).catch(() => undefined);
  }
}

async function withQueueFacts(
  { server }: OperationContext,
  { endpoint }: Elsewhere,
  reply: RunpodReply,
): Promise<RunpodReply> {
  if (reply["status"] !== "IN_QUEUE") return reply;
  const queue = await server.endpoints?.queueHint(endpoint).catch(() => undefined);
  if (queue === undefined) return reply;
  return { ...reply, ...queueFacts({ live: { worker_health: { ...queue.workers }, hint: queue.hint } }) };
}
