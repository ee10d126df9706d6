import type { Failure } from "./failure.ts";

/** The right to run one attempt until `expiresAt`. The fence rises with every claim, so a late holder is told apart. */
export interface Lease {
  readonly worker: string;
  /** Where the attempt runs; absent where an older version has written it. */
  readonly machine?: string;
  readonly fence: number;
  readonly expiresAt: number;
}

export interface Progress {
  readonly percent?: number;
  readonly phase?: string;
  readonly message?: string;
  readonly counts?: { readonly done: number; readonly total?: number };
  /** Tokens of language models that were used so far. */
  readonly tokens?: number;
}

export interface CancelRequest {
  readonly at: number;
  readonly reason: string;
  readonly by?: string;
}

/** Why a job is in the queue. */
export type QueuedBecause = "submitted" | "retry" | "interrupted" | "retried";

/** What every state knows. */
interface AttemptCounters {
  /** The attempt that runs, ran last, or runs next; the first is 1. */
  readonly attempt: number;
  /** How often this attempt was interrupted, by a stop of its engine or by the loss of its worker. */
  readonly interruptions: number;
  /** How often its worker was lost since it last got further: an attempt that keeps losing workers may be the cause. */
  readonly losses: number;
  /** When the total limit began to count: at submit, or at the last retry by hand. */
  readonly acceptedAt: number;
}

export interface QueuedState extends AttemptCounters {
  readonly status: "queued";
  readonly because: QueuedBecause;
  readonly queuedAt: number;
  readonly runAt: number;
  /** When the time limit for waiting in the queue (or the total limit) ends the job. */
  readonly deadlineAt?: number;
}

interface Held extends AttemptCounters {
  readonly lease: Lease;
  readonly startedAt: number;
  /** Time this attempt has spent waiting for answers; the run limit leaves it out. */
  readonly waitedMs: number;
  readonly progress?: Progress;
  readonly cancelRequest?: CancelRequest;
  /** Set by the watchdog while nothing is heard from the job. */
  readonly stalledSince?: number;
}

export interface RunningState extends Held {
  readonly status: "running";
}

export interface WaitingState extends Held {
  readonly status: "waiting";
  /** The questions that nobody has answered yet; never empty. */
  readonly openQuestions: readonly string[];
  readonly waitingSince: number;
}

interface Finished extends AttemptCounters {
  readonly finishedAt: number;
  readonly expiresAt: number;
  readonly progress?: Progress;
}

export interface SucceededState extends Finished {
  readonly status: "succeeded";
  readonly startedAt: number;
  /** Only part of the work succeeded; the result says which. */
  readonly partial: boolean;
}

export interface FailedState extends Finished {
  readonly status: "failed";
  readonly startedAt: number;
  readonly failure: Failure;
}

export interface TimedOutState extends Finished {
  readonly status: "timed_out";
  /** Absent when the job never left the queue. */
  readonly startedAt?: number;
  readonly failure: Failure;
}

export interface CancelledState extends Finished {
  readonly status: "cancelled";
  readonly startedAt?: number;
  readonly reason: string;
  readonly by?: string;
}

export type HeldState = RunningState | WaitingState;
export type TerminalState = SucceededState | FailedState | TimedOutState | CancelledState;
export type JobState = QueuedState | HeldState | TerminalState;
export type JobStatus = JobState["status"];
export type TerminalStatus = TerminalState["status"];

export const jobStatuses = [
  "queued",
  "running",
  "waiting",
  "succeeded",
  "failed",
  "timed_out",
  "cancelled",
] as const satisfies readonly JobStatus[];

export function isTerminal(state: JobState): state is TerminalState {
  return isTerminalStatus(state.status);
}

export function isTerminalStatus(status: JobStatus): status is TerminalStatus {
  return status !== "queued" && status !== "running" && status !== "waiting";
}

export function isHeld(state: JobState): state is HeldState {
  return state.status === "running" || state.status === "waiting";
}

/** The exit code that a job has left: null if nobody saw it, undefined for a job that has none. */
export function exitCodeOf(kind: string, state: TerminalState): number | null | undefined {
  if (state.status === "succeeded") return kind === "shell" ? 0 : undefined;
  const failure = "failure" in state ? state.failure : undefined;
  if (kind === "shell" && failure?.code === "lost") return null;
  const code = failure?.details?.["exit_code"];
  return typeof code === "number" || code === null ? code : undefined;
}
