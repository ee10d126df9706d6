import { parseRetryAfter } from "../../text/retry-after.ts";

/** What Standard Webhooks suggests: 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 10 h after the attempt before. */
export const suggestedDelaysMs = [5, 300, 1_800, 7_200, 18_000, 36_000, 36_000].map((seconds) => seconds * 1_000);

/** A receiver cannot put its deliveries off for longer than this. */
const longestRetryAfterMs = 24 * 3_600_000;

/** Keeps many deliveries that failed together from coming back together. */
const jitter = 0.2;

interface Failed {
  /** How often it was tried by now. */
  readonly tries: number;
  readonly now: number;
  readonly random: number;
  readonly retryAfter?: string;
}

/** When to try again; undefined to give up. A receiver's Retry-After may make it later, never sooner. */
export function nextTryAt(delaysMs: readonly number[], { tries, now, random, retryAfter }: Failed): number | undefined {
  const delayMs = delaysMs[tries - 1];
  if (delayMs === undefined) return undefined;
  const asked = parseRetryAfter(retryAfter, now, longestRetryAfterMs) ?? 0;
  return Math.ceil(now + Math.max(delayMs * (1 + jitter * random), asked));
}
