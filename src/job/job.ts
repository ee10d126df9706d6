import type { JobId } from "./id.ts";
import type { Backoff } from "./retry.ts";
import type { JobState, TerminalStatus } from "./state.ts";
import type { ShownNotify } from "./notify.ts";
import type { ShownWebhook } from "./webhook.ts";

/** Time limits and attempts. A limit that is absent does not apply. */
export interface Limits {
  /** Longest time in the queue before the first start. */
  readonly queueMs?: number;
  /** Longest time one attempt may run; time spent waiting for an answer does not count. */
  readonly runMs?: number;
  /** Longest silence of a running attempt: no output, no progress, no log line. A warning comes at half of it. */
  readonly idleMs?: number;
  /** Longest time from submit (or from a retry by hand) to the end, everything included. */
  readonly totalMs?: number;
  /** How long a cancelled or timed-out attempt may take to clean up before its job ends without it. */
  readonly graceMs: number;
  readonly attempts: number;
  readonly backoff: Backoff;
}

/** How long a finished job is kept. */
export interface Retention {
  readonly succeededMs: number;
  readonly failedMs: number;
}

/** What was asked for: never changes after submit. */
export interface JobSpec {
  readonly id: JobId;
  readonly kind: string;
  readonly owner: string;
  readonly name?: string;
  readonly tags: readonly string[];
  readonly batch?: string;
  readonly parent?: JobId;
  readonly dependsOn: readonly JobId[];
  /** Jobs of one kind with the same key share that kind's per-key concurrency. */
  readonly key?: string;
  /** Higher runs first; 0 is normal. */
  readonly priority: number;
  readonly idempotencyKey?: string;
  readonly limits: Limits;
  readonly retention: Retention;
  readonly createdAt: number;
  /** The folder that it works in, where its kind has one. */
  readonly cwd?: string;
  /** The only machine that may run it, or a label that its machine must have. */
  readonly place?: string;
  /** Started for somebody who is bound to an owner, though the owner is this machine's user. */
  readonly isConfined?: true;
  /** As far as it may be shown; the store keeps the rest. */
  readonly webhook?: ShownWebhook;
  /** Whom it tells what, as far as it may be shown. */
  readonly notify?: ShownNotify;
  /** The schedule that started it. */
  readonly schedule?: ScheduleMark;
}

export interface ScheduleMark {
  readonly id: string;
  readonly name: string;
  /** The planned time that it stands for; absent if somebody ran it by hand. */
  readonly plannedAt?: number;
}

export interface Job extends JobSpec {
  readonly state: JobState;
  /** Sequence number of the newest event. */
  readonly lastSeq: number;
}

/** The owner of jobs that nobody else is named for: this machine's user. */
export const localOwner = "local";

/** Whether a job was started for somebody else than this machine's user, so that its commands must not reach the server's own files. */
export function isConfined(job: Pick<JobSpec, "owner" | "isConfined">): boolean {
  return job.isConfined === true || job.owner !== localOwner;
}

export function retentionMs(retention: Retention, status: TerminalStatus): number {
  return status === "failed" || status === "timed_out" ? retention.failedMs : retention.succeededMs;
}
