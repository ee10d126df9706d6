import type { Job } from "../../job/job.ts";
import { isHeld, type JobState } from "../../job/state.ts";
import { settle, type Change, type LeaseToken, type Outcome } from "../../job/transitions.ts";
import type { Settlement } from "../store.ts";

/** What the end of an attempt writes; the result of one that did not succeed after all is not kept. */
export interface Settled {
  readonly change: Change;
  readonly result?: string;
}

/** Undefined once the lease is lost. */
export function settleAttempt(
  job: Job,
  lease: LeaseToken,
  outcome: Outcome,
  { now, result }: Settlement,
): Settled | undefined {
  const change = settle(job, lease, outcome, now);
  if (change === undefined) return undefined;
  return result === undefined || change.state.status !== "succeeded" ? { change } : { change, result };
}

/** The end of a lease is kept beside the state, so that a heartbeat need not write the state anew: this brings them together. */
export function withLeaseEnd(state: JobState, expiresAt: number): JobState {
  return isHeld(state) ? { ...state, lease: { ...state.lease, expiresAt } } : state;
}
