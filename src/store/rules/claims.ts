import type { Job } from "../../job/job.ts";
import { isHeld } from "../../job/state.ts";
import { isHeldBy, type adopt, type Change, type start } from "../../job/transitions.ts";
import type { ClaimRequest, ClaimWant, HeldLease, LeaseRequest, LostLease } from "../store.ts";
import type { StoredJob } from "./change.ts";

/** How many more jobs of a key may be claimed; those under the empty key, or under none, share no limit. */
export function roomForKey({ max, perKey = Infinity, perKeyOf }: ClaimWant, key: string, held: number): number {
  const limit = key === "" ? Infinity : (perKeyOf?.get(key) ?? perKey);
  return Math.max(0, Math.min(max, limit - held));
}

/** A job on its way to a worker: what to write, and the lease that the worker then has. */
export interface Hold {
  readonly stored: StoredJob;
  readonly change: Change;
  readonly lease: HeldLease;
}

/** `transition` starts or adopts. The fence rises with every claim, so that a late holder is told apart. */
export function holdJob(
  stored: StoredJob,
  { worker, machine, leaseMs, now }: LeaseRequest,
  transition: typeof start | typeof adopt,
): Hold | undefined {
  const fence = stored.fence + 1;
  const change: Change | undefined = transition(stored.job, { worker, machine, fence, leaseMs, now });
  if (change === undefined) return undefined;
  return { stored: { ...stored, fence }, change, lease: { id: stored.job.id, worker, fence } };
}

/** The job is still held under the lost lease, and that lease has not been extended since. */
export function isStillLost({ state }: Job, lost: LostLease): boolean {
  return isHeldBy(state, lost) && state.lease.expiresAt < lost.before;
}

/** What an attempt has started is where it ran. Older versions did not say where, and had one machine. */
export function isWithinReach({ state }: Job, machine: string): boolean {
  return isHeld(state) && (state.lease.machine ?? machine) === machine;
}

/** Where the jobs of a claim may be pinned to; null for those that are not. */
export function placesOf({ machine, labels = [] }: Pick<ClaimRequest, "machine" | "labels">): (string | null)[] {
  return [null, ...new Set([machine, ...labels])];
}
