import type { Job } from "../../job/job.ts";
import { isHeld } from "../../job/state.ts";
import { isHeldBy, type adopt, type Change, type start } from "../../job/transitions.ts";
import type { KindLimits } from "../kind-limits.ts";
import type { ClaimRequest, HeldLease, LeaseRequest, LostLease } from "../store.ts";
import type { StoredJob } from "./change.ts";
import { maxAheadMs } from "./clock-watch.ts";

/** How many jobs of a key may be held at once; those under the empty key, or under none, share no limit. */
export function limitOfKey({ perKey = Infinity, perKeyOf }: KindLimits, key: string): number {
  return key === "" ? Infinity : (perKeyOf?.get(key) ?? perKey);
}

/** How many more jobs of a key may be claimed. */
export function roomForKey(limits: KindLimits, key: string, held: number): number {
  return Math.max(0, limitOfKey(limits, key) - held);
}

/** Where keys matter: some have a limit. */
export function hasKeyLimits({ perKey, perKeyOf }: KindLimits): boolean {
  return perKey !== undefined || (perKeyOf !== undefined && perKeyOf.size > 0);
}

/**
 * Starts between these times count at a time. Those of the near future do, because a claim may have waited behind others; those beyond were
 * noted before the clock was set back.
 */
export function startWindow({ rate }: KindLimits, at: number): { after: number; before: number } {
  return { after: at - (rate?.perMs ?? 0), before: at + maxAheadMs };
}

/** How many more jobs may start, given when others did within the window that ends now. */
export function freeStarts({ rate }: KindLimits, started: number): number {
  return rate === undefined ? Infinity : Math.max(0, rate.starts - started);
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
