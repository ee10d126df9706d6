const unitMs: Readonly<Record<string, number>> = { s: 1_000, min: 60_000, h: 3_600_000 };

/**
 * Counts requests by a key against a rate such as "100/min". A caller that was quiet may use up the whole count at once; then
 * requests come free evenly.
 */
export class RateLimiter {
  /** When all requests of a key would have come free again. */
  readonly #usedUpTo = new Map<string, number>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Takes one request; if there is none left, answers with the seconds until there is. */
  take(key: string, rate: string): number | undefined {
    const [count = "", unit = ""] = rate.split("/");
    const periodMs = unitMs[unit] ?? 0;
    const now = this.#now();
    const usedUpTo = Math.max(now, this.#usedUpTo.get(key) ?? 0) + periodMs / Number(count);
    const waitMs = usedUpTo - periodMs - now;
    // Parts of a millisecond are what dividing and adding left.
    if (waitMs >= 1) return Math.ceil(waitMs / 1_000);
    this.#usedUpTo.set(key, usedUpTo);
    return undefined;
  }
}
