const unitMs: Readonly<Record<string, number>> = { s: 1_000, min: 60_000, h: 3_600_000 };

interface Bucket {
  left: number;
  at: number;
}

/**
 * Counts requests by a key against a rate such as "100/min". A caller that was quiet may use up the whole count at once; then
 * requests come free evenly.
 */
export class RateLimiter {
  readonly #buckets = new Map<string, Bucket>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Takes one request; if there is none left, answers with the seconds until there is. */
  take(key: string, rate: string): number | undefined {
    const [count = "", unit = ""] = rate.split("/");
    const most = Number(count);
    const perMs = most / (unitMs[unit] ?? 0);
    const now = this.#now();
    const bucket = this.#buckets.get(key) ?? { left: most, at: now };
    this.#buckets.set(key, bucket);
    bucket.left = Math.min(most, bucket.left + Math.max(0, now - bucket.at) * perMs);
    bucket.at = now;
    if (bucket.left < 1) return Math.ceil((1 - bucket.left) / perMs / 1_000);
    bucket.left -= 1;
    return undefined;
  }
}
