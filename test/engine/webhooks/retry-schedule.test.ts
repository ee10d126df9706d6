import { describe, expect, it } from "vitest";
import { nextTryAt, suggestedDelaysMs } from "../../../src/engine/webhooks/retry-schedule.ts";

describe("the schedule of a delivery", () => {
  it("is that of Standard Webhooks: eight attempts in about 28 hours", () => {
    const waits = Array.from({ length: 8 }, (_, index) =>
      nextTryAt(suggestedDelaysMs, { tries: index + 1, now: 0, random: 0 }),
    );
    const minute = 60_000;
    const hour = 60 * minute;
    expect(waits).toEqual([5_000, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 10 * hour, undefined]);
  });

  it("spreads what failed together", () => {
    expect(nextTryAt([1_000], { tries: 1, now: 7, random: 0.5 })).toBe(1_107);
    expect(nextTryAt([1_000], { tries: 1, now: 7, random: 0.999 })).toBeLessThanOrEqual(1_207);
  });

  it("gives up when it has ended, whatever the receiver asks for", () => {
    expect(nextTryAt([1_000], { tries: 2, now: 0, random: 0, retryAfter: "1" })).toBeUndefined();
    expect(nextTryAt([], { tries: 1, now: 0, random: 0 })).toBeUndefined();
  });
});
