import { describe, expect, it } from "vitest";
import { ClockWatch } from "../../../src/store/rules/clock-watch.ts";
import { t0 } from "../drafts.ts";

describe("the watch over the clock", () => {
  it("the first time counts as set back, because the clock may have been while nobody looked", () => {
    const watch = new ClockWatch();
    expect([t0, t0, t0 + 1].map((now) => watch.isSetBack(now))).toEqual([true, false, false]);
  });

  it("an earlier time than the last is noticed once", () => {
    const watch = new ClockWatch();
    expect([t0, t0 - 5, t0 - 4].map((now) => watch.isSetBack(now))).toEqual([true, true, false]);
  });

  it("after writes were undone it looks again", () => {
    const watch = new ClockWatch();
    watch.isSetBack(t0);
    watch.forget();
    expect(watch.isSetBack(t0)).toBe(true);
  });
});
