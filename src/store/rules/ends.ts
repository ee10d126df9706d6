import type { Job } from "../../job/job.ts";
import { requestCancel, restartWait, type Change } from "../../job/transitions.ts";
import type { StoredJob } from "./change.ts";
import { sayStatus } from "../../job/status-words.ts";

/** What the end of a job means for another one. */
export type Consequence =
  /** One job fewer to wait for, which the store counts as it writes; its wait begins anew where the clock was set back meanwhile. */
  | { readonly type: "unblocked"; readonly stored: StoredJob; readonly change: Change | undefined }
  | { readonly type: "cancelled"; readonly stored: StoredJob; readonly change: Change };

export interface Relatives {
  readonly dependents: readonly StoredJob[];
  /** A store need not look for the children of a job that succeeded: they go on. */
  readonly children: readonly StoredJob[];
}

/**
 * What follows directly from the end of a job. A cancelled one that ended by it has consequences of its own: the store
 * follows those in turn, with a list of ends rather than by recursion, because a chain of dependents may be long.
 */
export function followEnd(ended: Job, { dependents, children }: Relatives, now: number): Consequence[] {
  const { id, state } = ended;
  if (state.status === "succeeded") {
    return dependents.map((stored) => ({ type: "unblocked", stored, change: restartWait(stored.job, now) }));
  }
  // A job whose dependency did not succeed can never start, and neither can those that depend on it.
  const blocked = dependents.filter(({ job }) => job.state.status === "queued");
  const dependsReason = `it depends on job ${id}, which ${sayStatus(state.status)}`;
  const cancelled = blocked.flatMap((stored) => cancel(stored, dependsReason, now));
  const handled = new Set(cancelled.map(({ stored }) => stored.num));
  const parentReason = `its parent, job ${id}, ${sayStatus(state.status)}`;
  const others = children.filter(({ num }) => !handled.has(num));
  return [...cancelled, ...others.flatMap((stored) => cancel(stored, parentReason, now))];
}

function cancel(stored: StoredJob, reason: string, now: number): Consequence[] {
  const change = requestCancel(stored.job, { reason, at: now });
  return change === undefined ? [] : [{ type: "cancelled", stored, change }];
}
