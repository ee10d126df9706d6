import { defined } from "./defined.ts";
import { assertNever } from "./error.ts";
import type { EventBody } from "./event.ts";
import { elapsedMs } from "./elapsed.ts";
import type { Failure } from "./failure.ts";
import { retentionMs, type Job, type JobSpec } from "./job.ts";
import type { Question } from "./question.ts";
import { isHeld, isTerminal } from "./state.ts";
import type {
  CancelRequest,
  HeldState,
  JobState,
  JobStatus,
  Lease,
  Progress,
  QueuedBecause,
  QueuedState,
} from "./state.ts";

/**
 * The only place that makes a next state. Each function is one cause; it returns what to write, or undefined when
 * the job is not in a state that this cause can change (the caller came too late, or lost its lease).
 * ARCHITECTURE.md draws the same edges; a test compares the two.
 */
export interface Change {
  readonly state: JobState;
  readonly events: readonly EventBody[];
}

/** What an attempt came to. `retry` and `interrupted` put the job back into the queue. */
export type Outcome =
  | { readonly type: "succeeded"; readonly partial: boolean }
  | { readonly type: "failed"; readonly failure: Failure }
  | { readonly type: "retry"; readonly failure: Failure; readonly runAt: number }
  | { readonly type: "timed_out"; readonly failure: Failure }
  | { readonly type: "cancelled"; readonly reason: string; readonly by?: string }
  | { readonly type: "interrupted"; readonly cause: string; readonly isLoss: boolean; readonly runAt?: number };

/** Names the holder of a lease; a write with it counts only while the job is still held under it. */
export interface LeaseToken {
  readonly worker: string;
  readonly fence: number;
}

/** Who takes a job, where, and for how long. */
export interface LeaseClaim extends LeaseToken {
  readonly machine: string;
  readonly leaseMs: number;
  readonly now: number;
}

export const allowedEdges: Readonly<Record<JobStatus, readonly JobStatus[]>> = {
  queued: ["running", "cancelled", "timed_out"],
  running: ["waiting", "queued", "succeeded", "failed", "timed_out", "cancelled"],
  waiting: ["running", "queued", "succeeded", "failed", "timed_out", "cancelled"],
  succeeded: [],
  failed: ["queued"],
  timed_out: ["queued"],
  cancelled: ["queued"],
};

export function submitted(spec: JobSpec, runAt: number, by?: string): Change {
  return {
    state: {
      status: "queued",
      because: "submitted",
      attempt: 1,
      interruptions: 0,
      losses: 0,
      acceptedAt: spec.createdAt,
      queuedAt: spec.createdAt,
      runAt,
      ...queueDeadline(spec, spec.createdAt, runAt, true),
    },
    events: [{ type: "job-submitted", by }],
  };
}

/** A worker claims a job whose turn it is. */
export function start(job: Job, claim: LeaseClaim): Change | undefined {
  const { state } = job;
  // Where the clock was set back behind its time, a job that is offered to a worker was due before.
  const isEarly = state.status === "queued" && state.runAt > claim.now && state.queuedAt <= claim.now;
  if (state.status !== "queued" || isEarly) return undefined;
  const lease = toLease(claim);
  return {
    state: { status: "running", ...course(state), lease, startedAt: claim.now, waitedMs: 0 },
    events: [{ type: "attempt-started", attempt: state.attempt, worker: claim.worker, machine: claim.machine }],
  };
}

/** A worker goes on with an attempt whose holder is gone, because its work still runs outside. */
export function adopt(job: Job, claim: LeaseClaim): Change | undefined {
  const { state } = job;
  if (!isHeld(state)) return undefined;
  const lease = toLease(claim);
  return {
    state: { ...state, lease, interruptions: state.interruptions + 1, losses: state.losses + 1 },
    events: [{ type: "attempt-adopted", attempt: state.attempt, worker: claim.worker, machine: claim.machine }],
  };
}

function toLease({ worker, machine, fence, now, leaseMs }: LeaseClaim): Lease {
  return { worker, machine, fence, expiresAt: now + leaseMs };
}

/** The holder reports the end of its attempt. The first cause wins: a cancel that came before stands. */
export function settle(job: Job, token: LeaseToken, outcome: Outcome, now: number): Change | undefined {
  if (!isHeldBy(job.state, token)) return undefined;
  return conclude(job, job.state, outcome, now);
}

/** The holder is gone: the attempt goes back to the queue, or ends where its kind cannot go on. */
export function abandon(job: Job, outcome: Outcome, now: number): Change | undefined {
  return isHeld(job.state) ? conclude(job, job.state, outcome, now) : undefined;
}

/** A queued job ends at once; a held one is stamped and stays held until its worker has cleaned up. */
export function requestCancel(job: Job, request: CancelRequest): Change | undefined {
  const { state } = job;
  if (isTerminal(state)) return undefined;
  if (state.status === "queued") return finishCancelled(job, request.reason, request.by, request.at);
  if (state.cancelRequest !== undefined) return undefined;
  const { at: _at, ...why } = request;
  return { state: { ...state, cancelRequest: request }, events: [{ type: "cancel-requested", ...why }] };
}

/** The queue limit or the total limit passed before the job was started. */
export function expireInQueue(job: Job, now: number): Change | undefined {
  const { state } = job;
  if (state.status !== "queued" || state.deadlineAt === undefined || state.deadlineAt > now) return undefined;
  return conclude(job, state, { type: "timed_out", failure: queueFailure(job, state, now) }, now);
}

/**
 * The clock was set back behind the time at which the job was queued. Its wait begins anew: how much of it had passed cannot be told,
 * and without this it would last longer by as much as the clock was set back.
 */
export function restartWait(job: Job, now: number): Change | undefined {
  const { state } = job;
  if (state.status !== "queued" || state.queuedAt <= now) return undefined;
  const stepMs = now - state.queuedAt;
  const { deadlineAt } = state;
  return {
    state: {
      ...state,
      acceptedAt: state.acceptedAt + stepMs,
      queuedAt: now,
      runAt: state.runAt + stepMs,
      ...(deadlineAt === undefined ? {} : { deadlineAt: deadlineAt + stepMs }),
    },
    events: [],
  };
}

export function ask(
  job: Job,
  token: LeaseToken,
  asking: { key: string; question: Question; at: number },
): Change | undefined {
  const { state } = job;
  if (!isHeldBy(state, token)) return undefined;
  const { key, question, at } = asking;
  const event: EventBody = { type: "question-asked", key, question };
  if (state.status === "running") {
    return { state: { ...state, status: "waiting", openQuestions: [key], waitingSince: at }, events: [event] };
  }
  const isOpen = state.openQuestions.includes(key);
  if (isOpen) return { state, events: [] };
  return { state: { ...state, openQuestions: [...state.openQuestions, key] }, events: [event] };
}

/** An answer closes its question; the last one closed sets the job running again. */
export function closeQuestion(job: Job, answered: { key: string; at: number; by?: string }): Change | undefined {
  const { state } = job;
  if (isTerminal(state)) return undefined;
  const { at, ...told } = answered;
  const events: EventBody[] = [{ type: "question-answered", ...told }];
  if (state.status !== "waiting") return { state, events };
  const openQuestions = state.openQuestions.filter((open) => open !== answered.key);
  if (openQuestions.length > 0) return { state: { ...state, openQuestions }, events };
  const { openQuestions: _open, waitingSince, ...rest } = state;
  return { state: { ...rest, status: "running", waitedMs: rest.waitedMs + elapsedMs(waitingSince, at) }, events };
}

export function report(job: Job, token: LeaseToken, progress: Progress, isEvent: boolean): Change | undefined {
  if (!isHeldBy(job.state, token)) return undefined;
  return {
    state: { ...job.state, progress },
    events: isEvent ? [{ type: "progress-made", progress }] : [],
  };
}

/** The attempt has got further than when its worker was lost, so it is not what brings workers down. */
export function advance(job: Job, token: LeaseToken): Change | undefined {
  if (!isHeldBy(job.state, token) || job.state.losses === 0) return undefined;
  return { state: { ...job.state, losses: 0 }, events: [] };
}

/** The watchdog's first step: a warning in the status, taken back when the job is heard again. */
export function stall(job: Job, token: LeaseToken, since: number | undefined, now: number): Change | undefined {
  const { state } = job;
  if (!isHeldBy(state, token) || state.stalledSince === since) return undefined;
  if (since !== undefined) {
    return {
      state: { ...state, stalledSince: since },
      events: [{ type: "job-stalled", idleMs: elapsedMs(since, now) }],
    };
  }
  const { stalledSince: _stalledSince, ...heard } = state;
  return { state: heard, events: [{ type: "job-active-again" }] };
}

/** The one way out of a terminal state: somebody asks for a new attempt of a job that did not succeed. */
export function retryByHand(job: Job, now: number, by?: string): Change | undefined {
  const { state } = job;
  if (!isTerminal(state) || state.status === "succeeded") return undefined;
  const attempt = state.startedAt === undefined ? state.attempt : state.attempt + 1;
  return {
    state: {
      status: "queued",
      because: "retried",
      attempt,
      interruptions: 0,
      losses: 0,
      acceptedAt: now,
      queuedAt: now,
      runAt: now,
      ...queueDeadline(job, now, now, true),
    },
    events: [{ type: "job-retried", attempt, by }],
  };
}

export function isHeldBy(state: JobState, token: LeaseToken): state is HeldState {
  return isHeld(state) && state.lease.fence === token.fence && state.lease.worker === token.worker;
}

function conclude(job: Job, state: Exclude<JobState, { status: "succeeded" }>, outcome: Outcome, now: number): Change {
  const cancel = isHeld(state) ? state.cancelRequest : undefined;
  if (cancel !== undefined) return finishCancelled(job, cancel.reason, cancel.by, now);
  switch (outcome.type) {
    case "cancelled":
      return finishCancelled(job, outcome.reason, outcome.by, now);
    case "succeeded":
      return finish(job, now, { status: "succeeded", startedAt: startedAt(state) ?? now, partial: outcome.partial });
    case "failed":
      return finish(job, now, {
        status: "failed",
        startedAt: startedAt(state) ?? now,
        failure: outcome.failure,
      });
    case "timed_out":
      return finish(job, now, { status: "timed_out", ...started(state), failure: outcome.failure });
    case "retry":
      return {
        state: {
          ...backToQueue(job, state, "retry", outcome.runAt, now),
          attempt: state.attempt + 1,
          interruptions: 0,
          losses: 0,
        },
        events: [
          {
            type: "attempt-failed",
            attempt: state.attempt,
            failure: outcome.failure,
            nextRunAt: outcome.runAt,
          },
        ],
      };
    case "interrupted":
      return {
        state: {
          ...backToQueue(job, state, "interrupted", outcome.runAt ?? now, now),
          interruptions: state.interruptions + 1,
          losses: state.losses + (outcome.isLoss ? 1 : 0),
        },
        events: [{ type: "attempt-interrupted", attempt: state.attempt, cause: outcome.cause }],
      };
    default:
      return assertNever(outcome);
  }
}

type Ending =
  | { status: "succeeded"; startedAt: number; partial: boolean }
  | { status: "failed"; startedAt: number; failure: Failure }
  | { status: "timed_out"; startedAt?: number; failure: Failure }
  | { status: "cancelled"; startedAt?: number; reason: string; by?: string };

function finish(job: Job, now: number, ending: Ending): Change {
  const { state } = job;
  const progress = isHeld(state) ? state.progress : undefined;
  const expiresAt = now + retentionMs(job.retention, ending.status);
  const { startedAt: _startedAt, ...told } = ending;
  return {
    state: { ...course(state), finishedAt: now, expiresAt, ...(progress === undefined ? {} : { progress }), ...ending },
    events: [{ type: "job-finished", attempt: state.attempt, ...told }],
  };
}

function finishCancelled(job: Job, reason: string, by: string | undefined, now: number): Change {
  return finish(job, now, {
    status: "cancelled",
    ...started(job.state),
    reason,
    by,
  });
}

function backToQueue(job: Job, state: JobState, because: QueuedBecause, runAt: number, now: number): QueuedState {
  return {
    status: "queued",
    because,
    ...course(state),
    queuedAt: now,
    runAt,
    ...queueDeadline(job, state.acceptedAt, runAt, false),
  };
}

/** The queue limit guards the first start only, and counts from when the job may start; the total limit guards every wait. */
function queueDeadline(spec: JobSpec, acceptedAt: number, runAt: number, isFirst: boolean): { deadlineAt?: number } {
  const { queueMs, totalMs } = spec.limits;
  const ends = [
    isFirst && queueMs !== undefined ? runAt + queueMs : Infinity,
    totalMs !== undefined ? acceptedAt + totalMs : Infinity,
  ];
  const deadlineAt = Math.min(...ends);
  return deadlineAt === Infinity ? {} : { deadlineAt };
}

function queueFailure({ limits }: JobSpec, { acceptedAt, deadlineAt }: QueuedState, now: number): Failure {
  if (limits.totalMs !== undefined && deadlineAt === acceptedAt + limits.totalMs) {
    const message = `The job was not done within ${limits.totalMs} ms of being submitted.`;
    return { code: "total_limit", message, retryable: true };
  }
  const message = `The job was not started within its time limit (it waited ${elapsedMs(acceptedAt, now)} ms).`;
  return { code: "queue_limit", message, retryable: true };
}

function course(state: JobState): Pick<JobState, "attempt" | "interruptions" | "losses" | "acceptedAt"> {
  const { attempt, interruptions, losses, acceptedAt } = state;
  return { attempt, interruptions, losses, acceptedAt };
}

function startedAt(state: JobState): number | undefined {
  return state.status === "queued" ? undefined : state.startedAt;
}

function started(state: JobState): { startedAt?: number } {
  return defined({ startedAt: startedAt(state) });
}
