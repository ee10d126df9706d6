import { describe, expect, it } from "vitest";
import { readCron, readPlan, type PlannedTimes } from "../../../src/engine/schedules/plan.ts";

const at = (iso: string): number => Date.parse(iso);
const iso = (time: number): string => new Date(time).toISOString().replace(":00.000Z", "Z");

/** The first times after one, in UTC. */
function firstTimes({ next }: PlannedTimes, after: string, count: number): string[] {
  const times: string[] = [];
  for (let time = next(at(after)); times.length < count; time = next(time)) times.push(iso(time));
  return times;
}

describe("a cron line", () => {
  it("is read in its time zone", () => {
    expect(firstTimes(readCron("0 3 * * *", "Europe/Berlin"), "2026-01-01T02:00Z", 2)).toEqual([
      "2026-01-02T02:00Z",
      "2026-01-03T02:00Z",
    ]);
    expect(firstTimes(readCron("0 3 * * MON", "America/New_York"), "2026-01-01T00:00Z", 1)).toEqual([
      "2026-01-05T08:00Z",
    ]);
  });

  it("takes the time that comes next, not the one that it is", () => {
    const { next } = readCron("0 3 * * *", "UTC");
    expect(iso(next(at("2026-01-01T03:00:00Z") - 1))).toBe("2026-01-01T03:00Z");
    expect(iso(next(at("2026-01-01T03:00:00Z")))).toBe("2026-01-02T03:00Z");
  });

  // On 29 March 2026 it is 03:00 after 01:59 in Berlin.
  it("whose time does not exist in spring runs once, at the first that does", () => {
    expect(firstTimes(readCron("30 2 * * *", "Europe/Berlin"), "2026-03-28T12:00Z", 2)).toEqual([
      "2026-03-29T01:00Z",
      "2026-03-30T00:30Z",
    ]);
    expect(firstTimes(readCron("*/30 * * * *", "Europe/Berlin"), "2026-03-29T00:00Z", 4)).toEqual([
      "2026-03-29T00:30Z",
      "2026-03-29T01:00Z",
      "2026-03-29T01:30Z",
      "2026-03-29T02:00Z",
    ]);
  });

  // On 25 October 2026 it is 02:00 again after 02:59 in Berlin.
  it("whose time is there twice in autumn runs once, the first time", () => {
    expect(firstTimes(readCron("30 2 * * *", "Europe/Berlin"), "2026-10-24T12:00Z", 2)).toEqual([
      "2026-10-25T00:30Z",
      "2026-10-26T01:30Z",
    ]);
  });

  it("that goes on through the hour goes on through both in autumn", () => {
    expect(firstTimes(readCron("*/30 * * * *", "Europe/Berlin"), "2026-10-25T00:00Z", 4)).toEqual([
      "2026-10-25T00:30Z",
      "2026-10-25T01:00Z",
      "2026-10-25T01:30Z",
      "2026-10-25T02:00Z",
    ]);
  });
});

describe("the times between two", () => {
  const plans = [
    { cron: "30 2 * * *", tz: "Europe/Berlin" },
    { cron: "*/30 * * * *", tz: "Europe/Berlin" },
    { cron: "0,30 1-3 * * *", tz: "Europe/Berlin" },
    { cron: "0 0 * * 1-5", tz: "America/New_York" },
    { cron: "@hourly", tz: "Australia/Lord_Howe" },
    { everyMs: 45 * 60_000, from: at("2026-01-01T00:00Z") },
  ];

  it.each(plans)("are those that come one after the other, also when clocks are changed: %j", (plan) => {
    const times = readPlan(plan);
    for (const day of ["2026-03-28T12:00:00.001Z", "2026-10-24T12:00Z", "2026-10-31T12:00:30Z", "2026-04-04T10:00Z"]) {
      const [from, to] = [at(day), at(day) + 40 * 3_600_000];
      const expected: number[] = [];
      for (let time = times.next(from - 1); time <= to; time = times.next(time)) expected.push(time);
      expect(times.between(from, to, 1_000)).toEqual(expected);
      expect(times.between(from, to, 3)).toEqual(expected.slice(-3));
    }
  });

  it("include both ends", () => {
    const { between } = readPlan({ everyMs: 1_000, from: 500 });
    expect(between(1_500, 3_500, 10)).toEqual([1_500, 2_500, 3_500]);
    expect(between(1_501, 2_499, 10)).toEqual([]);
    const cron = readCron("* * * * *", "UTC");
    expect(cron.between(60_000, 180_000, 10)).toEqual([60_000, 120_000, 180_000]);
  });
});
