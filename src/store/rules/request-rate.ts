import { maxAheadMs } from "./clock-watch.ts";

const unitMs: Readonly<Record<string, number>> = { s: 1_000, min: 60_000, h: 3_600_000 };

/** A rate such as "100/min", as it is reckoned with. */
export interface RequestRate {
  readonly periodMs: number;
  /** How long one request takes to come free again. */
  readonly stepMs: number;
}

export function parseRequestRate(rate: string): RequestRate {
  const [count = "", unit = ""] = rate.split("/");
  const periodMs = unitMs[unit] ?? 0;
  return { periodMs, stepMs: periodMs / Number(count) };
}

/** Either when all requests taken so far would have come free again, or how long to wait for the next one. */
export type TakenRequest = { readonly usedUpTo: number } | { readonly waitMs: number };

/**
 * Takes one request. Who was quiet may use up the whole count at once; then requests come free evenly. More than one period cannot be used
 * up: such a time was noted before the clock was set back, and counts no more.
 */
export function takeRequest(usedUpTo: number, { periodMs, stepMs }: RequestRate, now: number): TakenRequest {
  const counted = usedUpTo > now + periodMs + maxAheadMs ? 0 : usedUpTo;
  const next = Math.max(now, counted) + stepMs;
  const waitMs = next - periodMs - now;
  // Parts of a millisecond are what dividing and adding left.
  return waitMs >= 1 ? { waitMs } : { usedUpTo: next };
}
