import type { Rating } from "./performance.ts";

/** Good up to the first, poor beyond the second: as the Chrome team publishes them (web.dev/vitals, and Lighthouse for blocking). */
const thresholds = {
  firstByte: [800, 1_800],
  firstPaint: [1_800, 3_000],
  largestPaint: [2_500, 4_000],
  layoutShift: [0.1, 0.25],
  blocking: [200, 600],
} as const;

export function rateVital(name: keyof typeof thresholds, value: number): NonNullable<Rating> {
  const [good, poor] = thresholds[name];
  return value <= good ? "good" : value <= poor ? "needs_improvement" : "poor";
}

/** Nothing was painted or answered at 0: then nothing was measured. */
export function rateTime(
  name: "firstByte" | "firstPaint" | "largestPaint",
  ms: number,
): { ms: number; rating: Rating } {
  return { ms: Math.round(ms), rating: ms > 0 ? rateVital(name, ms) : null };
}
