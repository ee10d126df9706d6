import { describe, expect, it } from "vitest";
import { RateLimiter } from "../../../src/faces/door/rate-limiter.ts";

describe("a rate", () => {
  it("allows its count at once, then one after the other, and says when the next is free", () => {
    let now = 0;
    const limiter = new RateLimiter(() => now);
    const take = (): number | undefined => limiter.take("ci", "3/min");
    expect([take(), take(), take(), take()]).toEqual([undefined, undefined, undefined, 20]);
    now = 19_000;
    expect(take()).toBe(1);
    now = 20_000;
    expect([take(), take()]).toEqual([undefined, 20]);
    now = 10_000_000;
    expect([take(), take(), take(), take()]).toEqual([undefined, undefined, undefined, 20]);
  });

  it.each(["7/min", "3/s", "999/h"])("allows all of its count: %s", (rate) => {
    const limiter = new RateLimiter(() => 1_763_000_000_123.456);
    const count = Number(rate.split("/")[0]);
    for (let taken = 0; taken < count; taken++) expect(limiter.take("ci", rate)).toBeUndefined();
    expect(limiter.take("ci", rate)).toBeGreaterThan(0);
  });

  it("counts each key for itself", () => {
    const limiter = new RateLimiter(() => 0);
    expect([limiter.take("a", "1/h"), limiter.take("b", "1/h"), limiter.take("a", "1/h")]).toEqual([
      undefined,
      undefined,
      3_600,
    ]);
  });
});
