import type { Store } from "../../store/store.ts";
import type { Clock } from "../clock.ts";

/** At the start, the best of so many measurements counts. */
const firstMeasurements = 3;
/** While it is corrected the clock goes at half or at one and a half times its speed, so it never goes back. */
const maxSlew = 0.5;
/** From here on catching up would take longer than it is worth: somebody has set the store's clock. */
const maxSlewedMs = 60_000;

/** The time of a store, told on a machine whose own clock may be wrong. */
export interface StoreClock extends Clock {
  /** Compares with the store, and corrects what cannot be explained by how long the answer took. */
  readonly sync: () => Promise<void>;
}

interface Measurement {
  readonly at: number;
  /** Of the store, at that time. */
  readonly time: number;
  /** How wrong it may be. */
  readonly errorMs: number;
}

/** Between measurements the monotonic clock counts on, so a machine whose clock is set is not led astray. */
export async function startStoreClock(store: Pick<Store, "time">, base: Clock): Promise<StoreClock> {
  let { at, time } = await measureBest(store, base);
  /** What is to be corrected from then on. */
  let correctionMs = 0;
  const tell = (monotonic: number): number => {
    const elapsedMs = Math.max(0, monotonic - at);
    const slewedMs = Math.min(Math.abs(correctionMs), elapsedMs * maxSlew) * Math.sign(correctionMs);
    return time + elapsedMs + slewedMs;
  };
  return {
    now: () => Math.floor(tell(base.monotonic())),
    monotonic: base.monotonic,
    after: base.after,
    sync: async () => {
      const measured = await measure(store, base);
      const offMs = measured.time - tell(measured.at);
      const isStep = Math.abs(offMs) > maxSlewedMs;
      const isWithinError = Math.abs(offMs) <= measured.errorMs;
      const from = base.monotonic();
      time = tell(from) + (isStep ? offMs : 0);
      at = from;
      correctionMs = isStep || isWithinError ? 0 : offMs;
    },
  };
}

async function measureBest(store: Pick<Store, "time">, base: Clock): Promise<Measurement> {
  let best = await measure(store, base);
  for (let count = 1; count < firstMeasurements; count++) {
    const next = await measure(store, base);
    if (next.errorMs < best.errorMs) best = next;
  }
  return best;
}

/** The answer was given some time between the question and its arrival: halfway, as far as anybody knows. */
async function measure(store: Pick<Store, "time">, base: Clock): Promise<Measurement> {
  const asked = base.monotonic();
  const time = await store.time();
  const at = base.monotonic();
  const errorMs = (at - asked) / 2;
  return { at, time: time + errorMs, errorMs };
}
