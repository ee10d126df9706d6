import { elapsedMs } from "../../job/elapsed.ts";
import type { EventBody } from "../../job/event.ts";
import type { Job } from "../../job/job.ts";
import { toNoticeType } from "../../job/notify.ts";
import { isHeld, isTerminal, type JobStatus } from "../../job/state.ts";
import type { Change } from "../../job/transitions.ts";
import { toDeliveryType, type DeliveryType } from "../../job/webhook.ts";
import type { DeliveryKey } from "../delivery.ts";
import type { Hint } from "../store.ts";
import { toEnd, type End } from "./rollups.ts";

/** A job together with what only its store knows of it. */
export interface StoredJob {
  /** Rises with every job that is created. */
  readonly num: number;
  readonly job: Job;
  /** The fence of its last lease. */
  readonly fence: number;
  /** How many jobs it depends on have not succeeded yet. */
  readonly blocked: number;
}

export interface NumberedEvent {
  readonly seq: number;
  readonly body: EventBody;
}

/** All that is written together when a job changes, and what is told once that is committed. */
export interface RecordedChange {
  /** As it is afterwards. */
  readonly stored: StoredJob;
  readonly events: readonly NumberedEvent[];
  /** Of the events, those that the job's receivers are told of. That one wants no more is a condition of the insert. */
  readonly deliveries: readonly (DeliveryKey & { readonly type: DeliveryType })[];
  readonly hints: readonly Hint[];
  /** Of a job that ends with it: what the rollups are to count. */
  readonly end?: End;
}

export function recordChange(stored: StoredJob, { state, events }: Change): RecordedChange {
  const numbered = numberEvents(stored.job.lastSeq, events);
  const job = { ...stored.job, state, lastSeq: stored.job.lastSeq + events.length };
  return {
    stored: { ...stored, job },
    events: numbered,
    deliveries: job.webhook === undefined && job.notify === undefined ? [] : toDeliveries(numbered, job),
    hints: toHints(job, events),
    ...(isTerminal(state) && !isTerminal(stored.job.state) ? { end: toEnd(job, state) } : {}),
  };
}

/** Events of a job are numbered without gaps. */
export function numberEvents(lastSeq: number, events: readonly EventBody[]): NumberedEvent[] {
  return events.map((body, index) => ({ seq: lastSeq + index + 1, body }));
}

/** What the others hear of a job as it is after a change with these events. */
export function toHints({ id, state, lastSeq }: Job, events: readonly EventBody[]): Hint[] {
  const hints: Hint[] = [{ type: "job-changed", id, seq: lastSeq, status: state.status }];
  if (state.status === "queued") hints.push({ type: "job-ready" });
  const asked = events.find((event) => event.type === "cancel-requested");
  if (asked !== undefined) hints.push({ type: "cancel-requested", id, reason: asked.reason });
  return hints;
}

/** What follows from a job's state and is kept beside it, to be searched by. */
export interface SearchedState {
  readonly status: JobStatus;
  /** A worker may have it: nothing that it depends on is missing, and its time had come when it was written. */
  readonly isReady: boolean;
  readonly runAt?: number;
  readonly deadlineAt?: number;
  readonly leaseExpiresAt?: number;
  readonly expiresAt?: number;
  readonly finishedAt?: number;
  /** When it ended, until somebody has looked at that. Of children their parent tells. */
  readonly unseenAt?: number;
}

export function toSearched(
  { state, parent }: Pick<Job, "state" | "parent">,
  blocked: number,
  now: number,
): SearchedState {
  const { status } = state;
  if (state.status === "queued") {
    const { runAt, deadlineAt } = state;
    return {
      status,
      isReady: blocked === 0 && runAt <= now,
      runAt,
      deadlineAt,
    };
  }
  if (isHeld(state)) return { status, isReady: false, leaseExpiresAt: state.lease.expiresAt };
  const { expiresAt, finishedAt } = state;
  return { status, isReady: false, expiresAt, finishedAt, ...(parent === undefined ? { unseenAt: finishedAt } : {}) };
}

function toDeliveries(events: readonly NumberedEvent[], job: Job): RecordedChange["deliveries"] {
  const { webhook, notify, state } = job;
  const tookMs = isTerminal(state) ? elapsedMs(state.acceptedAt, state.finishedAt) : 0;
  return events.flatMap(({ seq, body }) => {
    const posted = webhook && toDeliveryType(body, webhook);
    const told = notify && toNoticeType(body, notify, tookMs);
    return [
      ...(posted === undefined ? [] : [{ seq, target: 0, type: posted }]),
      ...(told === undefined ? [] : (notify?.to ?? []).map((_to, index) => ({ seq, target: index + 1, type: told }))),
    ];
  });
}
