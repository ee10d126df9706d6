import type { JobId } from "../../job/id.ts";
import type { Job } from "../../job/job.ts";
import type { Failure } from "../../job/failure.ts";
import type { Kind } from "../../job/kind.ts";
import { retryDelayMs } from "../../job/retry.ts";
import { isHeld, type Lease } from "../../job/state.ts";
import type { Outcome } from "../../job/transitions.ts";
import type { Claim, LostLease, LostSearch, Store } from "../../store/store.ts";
import { interruptedOutcome } from "../run-attempt.ts";
import type { EngineParts, Settings } from "../settings.ts";

interface RescuerParts extends EngineParts {
  readonly worker: string;
  /** Jobs that this engine runs itself are not lost, whatever the clock says. */
  readonly isRunning: (id: JobId) => boolean;
  readonly start: (claim: Claim) => void;
  /** For how long the store has heard this engine. */
  readonly steadyMs: () => number;
}

type Search = Omit<LostSearch, "limit">;

const batchSize = 100;

/** One machine has one engine: whatever another one held here is lost, and in an exclusive store whatever another one held. */
export function rescueAtStart(parts: RescuerParts): Promise<void> {
  const { store, kinds, settings } = parts;
  const everything = { before: Infinity, kinds: [...kinds.keys()] };
  return rescueLost(store.capabilities.isExclusive ? everything : { ...everything, machine: settings.machine }, parts);
}

/** Continues jobs whose lease has run out, as their kind says; kinds that this engine does not know are left alone. */
export async function rescueExpired(parts: RescuerParts): Promise<void> {
  for (const search of toSearches(parts)) await rescueLost(search, parts);
}

/**
 * After the store was gone for all, all leases have run out, and those who hold them are about to come back: so nobody takes what is
 * another machine's before it has itself been heard for as long as the other is given.
 */
function toSearches({ store, kinds, settings, steadyMs }: RescuerParts): Search[] {
  const { clock, leaseMs, orphanMs, machine } = settings;
  const all = [...kinds.values()];
  if (store.capabilities.isExclusive) return [{ before: clock.now(), kinds: namesOf(all) }];
  // The clocks of two machines differ by a little, although both follow the store's.
  const before = clock.now() - leaseMs / 12;
  const searches: Search[] = [{ before, kinds: namesOf(all), machine }];
  const [outside, inside] = [all.filter(isOutside), all.filter((kind) => !isOutside(kind))];
  if (steadyMs() >= leaseMs) searches.push({ before, kinds: namesOf(inside) });
  if (steadyMs() >= orphanMs) searches.push({ before: before - orphanMs, kinds: namesOf(outside) });
  return searches;
}

function namesOf(kinds: readonly Kind[]): string[] {
  return kinds.map(({ name }) => name);
}

/** What it started runs on without its engine, and can be taken over where it runs. */
function isOutside(kind: Kind): boolean {
  return kind.onInterrupt === "adopt";
}

async function rescueLost(search: Search, parts: RescuerParts): Promise<void> {
  const lost = await parts.store.lost({ ...search, limit: batchSize });
  const mine = lost.filter((job) => !parts.isRunning(job.id));
  const rescued = await Promise.all(mine.map((job) => rescue(job, search.before, parts)));
  if (lost.length === batchSize && rescued.some(Boolean)) await rescueLost(search, parts);
}

async function rescue(job: Job, before: number, parts: RescuerParts): Promise<boolean> {
  const { store, settings, worker, kinds, start } = parts;
  const kind = kinds.get(job.kind);
  if (kind === undefined || !isHeld(job.state)) return false;
  const { lease } = job.state;
  const lostLease: LostLease = { id: job.id, worker: lease.worker, fence: lease.fence, before };
  const now = settings.clock.now();
  const { machine, leaseMs } = settings;
  if (isOutside(kind) && (lease.machine ?? machine) === machine) {
    const claim = await store.adopt(lostLease, { worker, machine, now, leaseMs });
    if (claim !== undefined) start(claim);
    return claim !== undefined;
  }
  const outcome = isOutside(kind)
    ? orphanOutcome(job, lease, settings)
    : lostOutcome(job, kind, settings, lease.worker === worker || (await isIdle(job, store)));
  return (await store.abandon(lostLease, outcome, now)) !== undefined;
}

/** Nobody can tell what became of it: it is not run again in the same attempt, because it may run still. */
function orphanOutcome({ state, limits }: Job, { machine }: Lease, settings: Settings): Outcome {
  const message = `It ran on ${machine ?? "another machine"}, which was not heard from any more: what became of it is not known, and what it wrote in its last second may be missing.`;
  const failure: Failure = { code: "lost", message, retryable: true };
  if (state.attempt >= limits.attempts) return { type: "failed", failure };
  const delayMs = retryDelayMs(limits.backoff, state.attempt, settings.random());
  return { type: "retry", failure, runAt: settings.clock.now() + delayMs };
}

/** An attempt that only waited, for an answer or for a job that it has started, has brought no worker down. */
async function isIdle(job: Job, store: Store): Promise<boolean> {
  if (job.state.status === "waiting") return true;
  const { jobs } = await store.list({ parent: job.id, status: ["queued", "running", "waiting"] }, { limit: 1 });
  return jobs.length > 0;
}

function lostOutcome(job: Job, kind: Kind, settings: Settings, isInnocent: boolean): Outcome {
  const { losses } = job.state;
  if (isInnocent || losses === 0) return interruptedOutcome({ kind }, "its worker was lost", !isInnocent);
  if (losses < settings.maxLosses) return pausedOutcome(kind, losses + 1, settings);
  const message = `The attempt lost its worker ${losses + 1} times; it may be what brings the worker down.`;
  return { type: "failed", failure: { code: "interrupted", message, retryable: true } };
}

/** Whatever brings its worker down again and again leaves the others some time between. */
function pausedOutcome(kind: Kind, losses: number, { lossBackoff, clock, random }: Settings): Outcome {
  const pauseMs = retryDelayMs(lossBackoff, losses - 1, random());
  const cause = `its worker was lost ${losses} times before it got further, so it pauses for ${Math.ceil(pauseMs / 1_000)} s`;
  const outcome = interruptedOutcome({ kind }, cause, true);
  return outcome.type === "interrupted" ? { ...outcome, runAt: clock.now() + pauseMs } : outcome;
}
