import { describe, expect, it } from "vitest";
import { parseRequestRate, takeRequest } from "../../../src/store/rules/request-rate.ts";

function createTaker(rate: string): (now: number) => number | undefined {
  let usedUpTo = 0;
  return (now) => {
    const taken = takeRequest(usedUpTo, parseRequestRate(rate), now);
    if ("waitMs" in taken) return Math.ceil(taken.waitMs / 1_000);
    usedUpTo = taken.usedUpTo;
    return undefined;
  };
}

const t0 = 1_763_000_000_123;

describe("a rate of requests", () => {
  it("allows its count at once, then one after the other, and says when the next is free", () => {
    const take = createTaker("3/min");
    expect([take(t0), take(t0), take(t0), take(t0)]).toEqual([undefined, undefined, undefined, 20]);
    expect(take(t0 + 19_000)).toBe(1);
    expect([take(t0 + 20_000), take(t0 + 20_000)]).toEqual([undefined, 20]);
    const late = t0 + 10_000_000;
    expect([take(late), take(late), take(late), take(late)]).toEqual([undefined, undefined, undefined, 20]);
  });

  it.each(["7/min", "3/s", "999/h"])("allows all of its count: %s", (rate) => {
    const take = createTaker(rate);
    const count = Number(rate.split("/")[0]);
    for (let taken = 0; taken < count; taken++) expect(take(t0)).toBeUndefined();
    expect(take(t0)).toBeGreaterThan(0);
  });

  it("keeps nobody waiting because the clock is set back, and is not fooled by clocks that differ a little", () => {
    const take = createTaker("3/min");
    for (let taken = 0; taken < 3; taken++) take(t0);
    expect(take(t0 - 5_000)).toBe(25);
    expect(take(t0 - 24 * 3_600_000)).toBeUndefined();
  });
});
