import { describe, expect, it } from "vitest";
import { defaultBackoff, retryDelayMs, type Backoff } from "../../src/job/retry.ts";

const steady: Backoff = { initialMs: 1_000, factor: 2, maxMs: 10_000, jitter: 0 };

describe("the delay before the next attempt", () => {
  it("grows by its factor with every failed attempt, up to its longest", () => {
    expect([1, 2, 3, 4, 5, 50].map((attempt) => retryDelayMs(steady, attempt, 0))).toEqual([
      1_000, 2_000, 4_000, 8_000, 10_000, 10_000,
    ]);
  });

  it("stays the same with a factor of 1", () => {
    expect([1, 2, 9].map((attempt) => retryDelayMs({ ...steady, factor: 1 }, attempt, 0))).toEqual([
      1_000, 1_000, 1_000,
    ]);
  });

  it("is shortened by at most the share that is random", () => {
    const backoff = { ...steady, jitter: 0.25 };
    expect(retryDelayMs(backoff, 1, 0)).toBe(1_000);
    expect(retryDelayMs(backoff, 1, 0.5)).toBe(875);
    expect(retryDelayMs(backoff, 1, 0.999_999)).toBe(750);
    expect(retryDelayMs({ ...steady, jitter: 1 }, 1, 0.999_999)).toBe(0);
  });

  it("is a whole number of milliseconds, never negative and never above the longest", () => {
    const backoffs: Backoff[] = [
      defaultBackoff,
      { initialMs: 0, factor: 2, maxMs: 1_000, jitter: 0.5 },
      { initialMs: 333, factor: 1.7, maxMs: 99_999, jitter: 1 },
      { initialMs: 5_000, factor: 10, maxMs: 100, jitter: 0 },
    ];
    for (const backoff of backoffs) {
      for (const attempt of [1, 2, 10, 100]) {
        for (const random of [0, 0.3, 0.999]) {
          const delayMs = retryDelayMs(backoff, attempt, random);
          expect(Number.isInteger(delayMs)).toBe(true);
          expect(delayMs).toBeGreaterThanOrEqual(0);
          expect(delayMs).toBeLessThanOrEqual(backoff.maxMs);
        }
      }
    }
  });
});
