/** How attempts are spaced: exponential, capped, with jitter so that failures do not return in step. */
export interface Backoff {
  readonly initialMs: number;
  readonly factor: number;
  readonly maxMs: number;
  /** The share of the delay that is random, from 0 (none) to 1 (all of it). */
  readonly jitter: number;
}

export const defaultBackoff: Backoff = { initialMs: 1_000, factor: 2, maxMs: 300_000, jitter: 0.25 };

/** Long enough to look at what happens, and different for each job, so that the one at fault shows itself. */
export const lossBackoff: Backoff = { initialMs: 10_000, factor: 3, maxMs: 600_000, jitter: 0.25 };

/** The delay before the attempt that follows `failedAttempt` (1 for the first). `random` is in [0, 1). */
export function retryDelayMs(backoff: Backoff, failedAttempt: number, random: number): number {
  const full = Math.min(backoff.maxMs, backoff.initialMs * backoff.factor ** (failedAttempt - 1));
  return Math.round(full * (1 - backoff.jitter * random));
}
