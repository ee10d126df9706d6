import type { JobId } from "./id.ts";
import type { Failure } from "./failure.ts";
import type { Question } from "./question.ts";
import type { Progress, TerminalStatus } from "./state.ts";

export type LogLevel = "debug" | "info" | "warn" | "error";

/** What can happen to a job. Append-only: an event is never changed, and sequence numbers have no gaps. */
export type EventBody =
  | { readonly type: "job-submitted"; readonly by?: string }
  | { readonly type: "attempt-started"; readonly attempt: number; readonly worker: string; readonly machine?: string }
  | { readonly type: "attempt-adopted"; readonly attempt: number; readonly worker: string; readonly machine?: string }
  | { readonly type: "attempt-interrupted"; readonly attempt: number; readonly cause: string }
  | {
      readonly type: "attempt-failed";
      readonly attempt: number;
      readonly failure: Failure;
      readonly nextRunAt: number;
    }
  | { readonly type: "progress-made"; readonly progress: Progress }
  | { readonly type: "message-logged"; readonly level: LogLevel; readonly message: string }
  | { readonly type: "question-asked"; readonly key: string; readonly question: Question }
  | { readonly type: "question-answered"; readonly key: string; readonly by?: string }
  /** Somebody sent text to the attempt; what it said is not kept. */
  | { readonly type: "text-sent"; readonly bytes: number; readonly by?: string }
  | { readonly type: "job-stalled"; readonly idleMs: number }
  | { readonly type: "job-active-again" }
  | { readonly type: "cancel-requested"; readonly reason: string; readonly by?: string }
  | {
      readonly type: "job-finished";
      readonly status: TerminalStatus;
      readonly attempt: number;
      readonly failure?: Failure;
      readonly reason?: string;
      readonly partial?: boolean;
    }
  | { readonly type: "job-retried"; readonly attempt: number; readonly by?: string };

export type JobEvent = EventBody & {
  readonly jobId: JobId;
  readonly seq: number;
  readonly at: number;
};
