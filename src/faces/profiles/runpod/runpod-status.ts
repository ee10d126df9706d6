import { defined } from "../../../job/defined.ts";
import { elapsedMs } from "../../../job/elapsed.ts";
import { assertNever } from "../../../job/error.ts";
import { isRecord } from "../../../job/is-record.ts";
import type { Job } from "../../../job/job.ts";
import type { Json } from "../../../job/json.ts";
import { isTerminal, type TerminalState } from "../../../job/state.ts";
import { isQueuedUpstream } from "../../../operations/endpoint.ts";

export type RunpodStatus = "IN_QUEUE" | "IN_PROGRESS" | FinalStatus;

const finalStatuses = ["COMPLETED", "FAILED", "CANCELLED", "TIMED_OUT"] as const;

type FinalStatus = (typeof finalStatuses)[number];

/** Whether that is the word for a job that has ended. */
export function isFinal(status: Json | undefined): status is FinalStatus {
  return finalStatuses.some((final) => final === status);
}

/** What a job's record does not hold. */
export interface RunpodFacts {
  /** What the job returned, if it succeeded. */
  readonly result?: Json;
  /** What its kind tells of the running job. */
  readonly live?: Readonly<Record<string, Json>>;
  /** It runs on a platform: what is not known of it is not made up. */
  readonly isRemote?: boolean;
  /** Why it is still in our own queue. */
  readonly reason?: string;
}

/** A job as RunPod's API shows it. */
export function toRunpodReply(job: Job, facts: RunpodFacts = {}): Record<string, Json> {
  const { state } = job;
  const status = toRunpodStatus(job, facts);
  const told = asObject(isTerminal(state) ? (facts.result ?? failureDetails(state)) : facts.live);
  const times = facts.isRemote === true ? {} : ownTimes(job);
  const delayTime = number(told["delay_ms"]) ?? times.delayTime;
  const executionTime = number(told["execution_ms"]) ?? times.executionTime;
  return {
    id: job.id,
    status,
    ...defined({
      delayTime,
      executionTime,
      workerId: typeof told["worker"] === "string" ? told["worker"] : undefined,
      output: "output" in told ? told["output"] : progressOf(job, facts, status),
      error: errorOf(job),
      lastError: isTerminal(state) ? undefined : facts.live?.["last_error"],
    }),
    ...(status === "IN_QUEUE" ? queueFacts(facts) : {}),
  };
}

export function toRunpodStatus(job: Job, facts: RunpodFacts = {}): RunpodStatus {
  const { state } = job;
  switch (state.status) {
    case "queued":
      return "IN_QUEUE";
    case "running":
      return isQueued(job, facts) ? "IN_QUEUE" : "IN_PROGRESS";
    case "waiting":
      return "IN_PROGRESS";
    case "succeeded":
      return "COMPLETED";
    case "failed":
      return "FAILED";
    case "timed_out":
      return "TIMED_OUT";
    case "cancelled":
      return "CANCELLED";
    default:
      return assertNever(state);
  }
}

/** What is known live comes first: progress is told a moment later, and not at all before the platform has spoken. */
function isQueued(job: Job, { live = {} }: RunpodFacts): boolean {
  const remote = live["remote_status"];
  return remote === undefined ? isQueuedUpstream(job) : remote === null || remote === "IN_QUEUE";
}

function failureDetails(state: TerminalState): Json {
  return "failure" in state ? { ...state.failure.details } : {};
}

/** While a job is in progress, its output is what its worker last said of it; after a restart only the words are known. */
function progressOf(job: Job, { isRemote = false }: RunpodFacts, status: RunpodStatus): string | undefined {
  const isTold = status === "IN_PROGRESS" && !isRemote;
  return isTold && "progress" in job.state ? job.state.progress?.message : undefined;
}

/** As a platform says it; of a local handler's it is a text, as RunPod's own handlers make it one. */
function errorOf({ state }: Job): Json | undefined {
  if (!("failure" in state)) return undefined;
  const { error, output, remote_status: remoteStatus } = state.failure.details ?? {};
  if (remoteStatus !== undefined) return error ?? (output === undefined ? state.failure.message : undefined);
  if (error === undefined) return state.failure.message;
  return typeof error === "string" ? error : JSON.stringify(error);
}

function ownTimes({ state }: Job): { delayTime?: number; executionTime?: number } {
  if (!("startedAt" in state) || state.startedAt === undefined) return {};
  return {
    delayTime: elapsedMs(state.acceptedAt, state.startedAt),
    ...("finishedAt" in state ? { executionTime: elapsedMs(state.startedAt, state.finishedAt) } : {}),
  };
}

/** Why it waits: RunPod's newer versions say it beside the status. */
export function queueFacts({ live = {}, reason }: RunpodFacts): Record<string, Json> {
  const workers = asObject(live["worker_health"]);
  const names = ["idle", "initializing", "running", "throttled", "total", "unhealthy"];
  const health = Object.fromEntries(names.map((name) => [name, number(workers[name]) ?? 0]));
  return defined({
    workerHealth: live["worker_health"] === undefined ? undefined : health,
    hint: typeof live["hint"] === "string" ? live["hint"] : reason,
  });
}

function asObject(value: Json | undefined): Record<string, Json> {
  return isRecord(value) ? value : {};
}

function number(value: Json | undefined): number | undefined {
  return typeof value === "number" ? value : undefined;
}
