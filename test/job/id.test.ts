import { describe, expect, it } from "vitest";
import { createIdSource, isJobId, lowestIdAt } from "../../src/job/id.ts";

const t0 = 1_800_000_000_000;

/** The time that a UUIDv7 begins with. */
const timeOf = (id: string): number => Number.parseInt(id.replaceAll("-", "").slice(0, 12), 16);
/** The random bits: all behind the version, the counter and the variant. */
const tailOf = (id: string): string => id.slice(19);

describe("job ids", () => {
  it("are UUIDs of version 7 that begin with the time", () => {
    const id = createIdSource(() => t0)();
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(timeOf(id)).toBe(t0);
    expect(isJobId(id)).toBe(true);
  });

  it("rise strictly within a millisecond, also beyond what its counter holds", () => {
    const next = createIdSource(() => t0);
    const ids = Array.from({ length: 10_000 }, next);
    expect(ids).toEqual(ids.toSorted());
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.every(isJobId)).toBe(true);
  });

  it("rise strictly when the clock stands still, steps forward or back", () => {
    const times = [t0, t0 + 5, t0 + 5, t0 - 1_000, t0 + 4, t0 + 6, t0, t0 + 7];
    let index = 0;
    const next = createIdSource(() => times[index++] ?? t0);
    const ids = times.map(() => next());
    expect(ids).toEqual(ids.toSorted());
    expect(new Set(ids).size).toBe(ids.length);
  });

  it("cannot be guessed: the tails of neighbours have nothing in common", () => {
    const next = createIdSource(() => t0);
    const tails = Array.from({ length: 5_000 }, () => tailOf(next()));
    expect(new Set(tails).size).toBe(tails.length);
    for (let position = 1; position < 17; position++) {
      if (position === 4) continue;
      expect(new Set(tails.map((tail) => tail[position])).size).toBe(16);
    }
  });

  it("of two sources at the same time differ", () => {
    const [one, two] = [createIdSource(() => t0)(), createIdSource(() => t0)()];
    expect(tailOf(one)).not.toBe(tailOf(two));
  });

  it("are told from anything else", () => {
    const id = createIdSource(() => t0)();
    const others = ["", "x", id.toUpperCase(), ` ${id}`, `${id}\n`, id.slice(1), id.replace("-7", "-4"), `${id}/..`];
    expect(others.filter(isJobId)).toEqual([]);
  });
});

describe("the lowest id of a time", () => {
  it("is above every id before it and not above any id from it on", () => {
    let now = t0;
    const next = createIdSource(() => now);
    const before = Array.from({ length: 100 }, next);
    now = t0 + 1;
    const after = Array.from({ length: 100 }, next);
    const lowest = lowestIdAt(t0 + 1);
    expect(before.filter((id) => id >= lowest)).toEqual([]);
    expect(after.filter((id) => id < lowest)).toEqual([]);
  });

  it("is an id, also for times before any job", () => {
    for (const at of [-1, 0, 1, t0]) expect(isJobId(lowestIdAt(at))).toBe(true);
  });
});
