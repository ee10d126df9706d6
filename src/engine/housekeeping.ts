import type { Store } from "../store/store.ts";
import type { Attempts } from "./attempts.ts";
import type { Membership } from "./machines/membership.ts";
import { requeueUnknown } from "./requeue-unknown.ts";
import type { EngineParts, Settings } from "./settings.ts";

const batchSize = 500;
const expiryMs = 1_000;
const tidyMs = 1_000;
/** An engine that is here only for a moment leaves alone what it does not know. */
const unknownKindMs = 60_000;
/** Whoever asks for figures has them brought up to date. */
const collectMs = 10_000;

interface HousekeepingParts extends EngineParts {
  readonly runs: Attempts;
  readonly membership: Membership;
  /** Where the store's clock counts. */
  readonly syncClock: (() => Promise<void>) | undefined;
}

/** The engine's regular rounds. Each begins anew only after it has ended; a failed one is told and tried again. */
export function startHousekeeping(parts: HousekeepingParts): () => Promise<void> {
  const { store, runs, membership, settings, syncClock } = parts;
  const { clock, leaseMs } = settings;
  const stops = [
    every(leaseMs / 3, settings, "leases could not be extended", () => runs.beat()),
    every(leaseMs / 6, settings, "attempts could not be stopped", async () => runs.fence()),
    every(leaseMs / 3, settings, "lost jobs could not be rescued", async () => {
      // Whether a lease has run out is a question of time.
      await syncClock?.();
      await runs.rescue();
    }),
    every(leaseMs / 3, settings, "this engine could not say that it is there", () => membership.tell()),
    every(unknownKindMs, settings, "jobs of unknown kinds could not be put back", () => requeueUnknown(parts)),
    every(expiryMs, settings, "queue limits could not be enforced", () => expireQueued(store, clock.now())),
    every(tidyMs, settings, "the store could not be tidied", () => tidy(store)),
    every(collectMs, settings, "ended jobs could not be counted", () => collectEnds(store, clock.now())),
    every(settings.pruneMs, settings, "finished jobs could not be removed", () => prune(store, clock.now())),
  ];
  return async () => {
    await Promise.all(stops.map((stop) => stop()));
  };
}

/** Removes all finished jobs whose retention has ended; says how many. */
export async function prune(store: Store, now: number): Promise<number> {
  let total = 0;
  for (;;) {
    const removed = await store.purge(now, batchSize);
    total += removed;
    if (removed < batchSize) return total;
  }
}

async function expireQueued(store: Store, now: number): Promise<void> {
  while ((await store.expireQueued(now, batchSize)) === batchSize);
}

/** Counts the ends that are recorded. */
export async function collectEnds(store: Store, now: number): Promise<void> {
  while (await store.rollups.collect(now));
}

async function tidy(store: Store): Promise<void> {
  while (await store.tidy());
}

function every(
  periodMs: number,
  { clock, log }: Settings,
  complaint: string,
  round: () => Promise<unknown>,
): () => Promise<void> {
  let isStopped = false;
  let cancelTimer: (() => void) | undefined;
  let current: Promise<unknown> = Promise.resolve();
  const schedule = (): void => {
    if (isStopped) return;
    cancelTimer = clock.after(periodMs, () => {
      current = round()
        .catch((error: unknown) => log({ level: "error", message: complaint, error }))
        .finally(schedule);
    });
  };
  schedule();
  return async () => {
    isStopped = true;
    cancelTimer?.();
    await current;
  };
}
