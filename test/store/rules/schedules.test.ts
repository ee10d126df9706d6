import { describe, expect, it } from "vitest";
import { checkOverlap, decideFiring, onTimeMs } from "../../../src/store/rules/schedules.ts";
import type { Firing, MissedPolicy } from "../../../src/store/schedule-store.ts";
import { second as oneSecond, t0 } from "../drafts.ts";

const minute = 60 * oneSecond;
const hour = 60 * minute;
const [first, second, third] = [t0, t0 + hour, t0 + 2 * hour] as const;
const following = t0 + 3 * hour;

interface Case {
  readonly missed?: MissedPolicy;
  readonly overlap?: boolean;
  readonly due?: readonly number[];
  readonly lateMs?: number;
  readonly isBusy?: boolean;
  readonly jobs?: Firing["jobs"];
  readonly plannedFor?: number;
  readonly known?: readonly number[];
}

function decide(given: Case): unknown {
  const { missed = "once", overlap = false, due = [first], lateMs = 0, isBusy = false, jobs = { drafts: [] } } = given;
  const policy = { missed, overlap, nextAt: given.plannedFor ?? due[0] ?? t0 };
  const now = (due.at(-1) ?? t0) + lateMs;
  return decideFiring(policy, { due, now, jobs, nextAt: following }, { isBusy, known: given.known ?? [] });
}

const missedTimes = (...times: number[]): object[] => times.map((plannedAt) => ({ plannedAt, skip: "missed" }));

describe("a planned time that has come", () => {
  it.each(["skip", "once", "all"] as const)(
    "runs when it is on time, whatever is done with missed ones: %s",
    (missed) => {
      expect(decide({ missed })).toEqual({ run: [first], skip: [], nextAt: following });
    },
  );

  it("is on time for a minute", () => {
    expect(decide({ missed: "skip", lateMs: onTimeMs })).toMatchObject({ run: [first], skip: [] });
    expect(decide({ missed: "skip", lateMs: onTimeMs + 1 })).toMatchObject({ run: [], skip: missedTimes(first) });
  });

  it("that was missed runs late with `once`, in the newest of several", () => {
    expect(decide({ lateMs: hour / 2, due: [first, second, third] })).toEqual({
      run: [third],
      skip: missedTimes(first, second),
      nextAt: following,
    });
  });

  it("that was missed is left out with `skip`; the newest runs if it is on time", () => {
    const due = [first, second, third];
    expect(decide({ missed: "skip", due, lateMs: 2 * minute })).toMatchObject({ run: [], skip: missedTimes(...due) });
    expect(decide({ missed: "skip", due })).toMatchObject({ run: [third], skip: missedTimes(first, second) });
  });

  it("that was missed runs with `all`: each after the one before, or all at once where they may overlap", () => {
    const due = [first, second, third];
    expect(decide({ missed: "all", due })).toEqual({ run: [first], skip: [], nextAt: second });
    expect(decide({ missed: "all", due, isBusy: true })).toBe("held up");
    expect(decide({ missed: "all", due, isBusy: true, overlap: true })).toEqual({
      run: due,
      skip: [],
      nextAt: following,
    });
  });

  it.each(["skip", "once"] as const)(
    "is left out while the run before is not over, unless they may overlap: %s",
    (missed) => {
      expect(decide({ missed, isBusy: true })).toEqual({
        run: [],
        skip: [{ plannedAt: first, skip: "overlap" }],
        nextAt: following,
      });
      expect(decide({ missed, isBusy: true, overlap: true })).toMatchObject({ run: [first], skip: [] });
    },
  );

  it("whose job is refused is left out with the reason", () => {
    expect(decide({ jobs: { refusal: "There is no such folder." } })).toEqual({
      run: [],
      skip: [{ plannedAt: first, skip: "refused", reason: "There is no such folder." }],
      nextAt: following,
    });
  });

  it("that was seen to before is passed over, for the clock was set back", () => {
    expect(decide({ known: [first], isBusy: true })).toEqual({ run: [], skip: [], nextAt: following });
    expect(decide({ missed: "all", known: [first], isBusy: true })).toMatchObject({ run: [], nextAt: following });
    expect(decide({ missed: "all", due: [first, second], known: [first] })).toMatchObject({ run: [second] });
  });

  it("is given up when more have come than are made up for, and that is said once", () => {
    const decision = decide({ missed: "all", overlap: true, due: [second, third], plannedFor: first });
    expect(decision).toMatchObject({
      run: [second, third],
      skip: [{ plannedAt: first, skip: "missed", reason: "of more than 2 times in a row only the newest 2 count" }],
    });
  });
});

describe("a run by hand", () => {
  it("is refused while another is not over, unless they may overlap", () => {
    expect(() => checkOverlap({ name: "n", overlap: false }, true)).toThrow('A run of the schedule "n" is not over');
    expect(() => checkOverlap({ name: "n", overlap: true }, true)).not.toThrow();
    expect(() => checkOverlap({ name: "n", overlap: false }, false)).not.toThrow();
  });
});
