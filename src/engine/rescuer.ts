import type { JobId } from "../job/id.ts";
import type { Job } from "../job/job.ts";
import type { Kind } from "../job/kind.ts";
import { retryDelayMs } from "../job/retry.ts";
import { isHeld } from "../job/state.ts";
import type { Outcome } from "../job/transitions.ts";
import type { Claim, LostLease, Store } from "../store/store.ts";
import { interruptedOutcome } from "./run-attempt.ts";
import type { EngineParts, Settings } from "./settings.ts";

interface RescuerParts extends EngineParts {
  readonly worker: string;
  /** Jobs that this engine runs itself are not lost, whatever the clock says. */
  readonly isRunning: (id: JobId) => boolean;
  readonly start: (claim: Claim) => void;
}

const batchSize = 100;

/** Continues jobs whose worker is gone, as their kind says; kinds that this engine does not know are left alone. */
export async function rescueLost(before: number, parts: RescuerParts): Promise<void> {
  const lost = await parts.store.lost({ before, kinds: [...parts.kinds.keys()], limit: batchSize });
  const mine = lost.filter((job) => !parts.isRunning(job.id));
  const rescued = await Promise.all(mine.map((job) => rescue(job, before, parts)));
  if (lost.length === batchSize && rescued.some(Boolean)) await rescueLost(before, parts);
}

async function rescue(job: Job, before: number, parts: RescuerParts): Promise<boolean> {
  const { store, settings, worker, kinds, start } = parts;
  const kind = kinds.get(job.kind);
  if (kind === undefined || !isHeld(job.state)) return false;
  const { lease } = job.state;
  const lostLease: LostLease = { id: job.id, worker: lease.worker, fence: lease.fence, before };
  const now = settings.clock.now();
  if (kind.onInterrupt === "adopt") {
    const claim = await store.adopt(lostLease, { worker, machine: settings.machine, now, leaseMs: settings.leaseMs });
    if (claim !== undefined) start(claim);
    return claim !== undefined;
  }
  const outcome = lostOutcome(job, kind, settings, await isIdle(job, store));
  return (await store.abandon(lostLease, outcome, now)) !== undefined;
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
