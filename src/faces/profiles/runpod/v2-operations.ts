import type { Scope } from "../../../engine/access.ts";
import { LonghaulError } from "../../../job/error.ts";
import { parseInput } from "../../../job/issue.ts";
import type { Job } from "../../../job/job.ts";
import { isTerminal } from "../../../job/state.ts";
import type { OperationContext } from "../../../operations/operation.ts";
import { runpodRequestSchema } from "./request.ts";
import { relayJob } from "../../../operations/endpoint-platform.ts";
import { statusElsewhere, waitElsewhere, type Elsewhere } from "./elsewhere.ts";
import {
  acceptanceOf,
  cancelJob,
  healthOf,
  purgeQueue,
  retryJob,
  runJob,
  statusOf,
  throwIfRefused,
  waitForEnd,
  type RunpodReply,
} from "./runpod-operations.ts";
import { takeChunks } from "./take-chunks.ts";

export interface V2Call {
  readonly context: OperationContext;
  readonly endpoint: string;
  readonly query: URLSearchParams;
  readonly readBody: (maxBytes: number) => Promise<unknown>;
}

interface Verb {
  readonly method: "GET" | "POST";
  readonly scope: Scope;
}

/** `/v2/{endpoint}/{verb}` */
export interface EndpointVerb extends Verb {
  readonly answer: (call: V2Call) => Promise<RunpodReply>;
}

/** `/v2/{endpoint}/{verb}/{id}` */
export interface JobVerb extends Verb {
  readonly answer: (call: V2Call, job: Job) => Promise<RunpodReply>;
  /** Of a job that only the platform knows. */
  readonly answerElsewhere: (call: V2Call, job: Elsewhere) => Promise<RunpodReply>;
}

const runBytes = 10_000_000;
const syncBytes = 20_000_000;
const runWait = { least: 1_000, max: 300_000, usual: 90_000 };
const statusWait = { least: 1_000, max: 90_000, usual: 90_000 };
const streamWait = { least: 1_000, max: 300_000, usual: 10_000 };
/** The SDK gives up after three seconds. */
const cancelWaitMs = 2_000;
const acceptanceWaitMs = 2_000;

export const endpointVerbs: Readonly<Record<string, EndpointVerb>> = {
  run: {
    method: "POST",
    scope: "run",
    answer: async (call) => acceptanceOf(call.context, await submit(call, runBytes), acceptanceWaitMs),
  },
  runsync: {
    method: "POST",
    scope: "run",
    answer: async (call) => {
      const waitMs = readWait(call, runWait);
      const { context } = call;
      const seen = await waitForEnd(context, await submit(call, syncBytes), waitMs);
      throwIfRefused(seen);
      const reply = await statusOf(context, seen);
      return isTerminal(seen.state) ? reply : { id: seen.id, status: reply["status"] ?? "IN_QUEUE" };
    },
  },
  health: { method: "GET", scope: "read", answer: ({ context, endpoint }) => healthOf(context, endpoint) },
  "purge-queue": { method: "POST", scope: "admin", answer: ({ context, endpoint }) => purgeQueue(context, endpoint) },
};

export const jobVerbs: Readonly<Record<string, JobVerb>> = {
  status: {
    method: "GET",
    scope: "read",
    answer: ({ context }, job) => statusOf(context, job),
    answerElsewhere: ({ context }, job) => statusElsewhere(context, job),
  },
  "status-sync": {
    method: "GET",
    scope: "read",
    answer: async (call, job) =>
      statusOf(call.context, await waitForEnd(call.context, job, readWait(call, statusWait))),
    answerElsewhere: (call, job) => waitElsewhere(call.context, job, readWait(call, statusWait)),
  },
  stream: {
    method: "GET",
    scope: "read",
    answer: (call, job) => {
      const options = { waitMs: readWait(call, streamWait), have: readHave(call) };
      return takeChunks(call.context, job, options);
    },
    answerElsewhere: ({ context }, job) => relayJob(context, { ...job, verb: "stream" }),
  },
  cancel: {
    method: "POST",
    scope: "run",
    answer: ({ context }, job) => cancelJob(context, job, cancelWaitMs),
    answerElsewhere: ({ context }, job) => relayJob(context, { ...job, verb: "cancel" }),
  },
  retry: {
    method: "POST",
    scope: "run",
    answer: ({ context }, job) => retryJob(context, job),
    answerElsewhere: ({ context }, job) => relayJob(context, { ...job, verb: "retry" }),
  },
};

async function submit({ context, endpoint, readBody }: V2Call, maxBytes: number): Promise<Job> {
  const request = parseInput(runpodRequestSchema, await readBody(maxBytes), "The request");
  return runJob(context, endpoint, request);
}

function readHave({ query }: V2Call): number | undefined {
  const text = query.get("have");
  if (text === null) return undefined;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new LonghaulError("invalid_input", `have must be a number of chunks, got "${text}".`);
}

function readWait({ query }: V2Call, { least, max, usual }: typeof runWait): number {
  const text = query.get("wait");
  if (text === null) return usual;
  const ms = Number(text);
  if (text !== "" && ms >= least && ms <= max) return ms;
  throw new LonghaulError("invalid_input", `wait must be milliseconds from ${least} to ${max}, got "${text}".`);
}
