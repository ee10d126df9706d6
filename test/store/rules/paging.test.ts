import { describe, expect, it } from "vitest";
import { parseCursor, toPage } from "../../../src/store/rules/paging.ts";
import { refusal } from "../world.ts";

describe("pages", () => {
  const placeOf = (row: { job: number; seq: number }): number[] => [row.job, row.seq];
  const rows = [3, 2, 1].map((seq) => ({ job: 7, seq }));

  it("one row more than fits says that there is a next page, which goes on after the last row shown", () => {
    expect(toPage(rows, 2, placeOf)).toEqual({ shown: rows.slice(0, 2), cursor: "7-2" });
  });

  it("the last page has no cursor, and neither has an empty one", () => {
    expect(toPage(rows, 3, placeOf)).toEqual({ shown: rows });
    expect(toPage([], 3, placeOf)).toEqual({ shown: [] });
  });

  it("a cursor is read back as the place that it was made of", () => {
    expect(parseCursor("7-2", 2)).toEqual([7, 2]);
    expect(parseCursor("12", 1)).toEqual([12]);
  });

  it.each([
    ["7", 2],
    ["7-2", 1],
    ["7-2-1", 2],
    ["-7", 2],
    ["x", 1],
    ["", 1],
    ["1e3", 1],
    ["1234567890123456", 1],
  ])("the cursor %j is refused where %i numbers make a place", (cursor, numbers) => {
    expect(() => parseCursor(cursor, numbers)).toThrow(expect.objectContaining(refusal("invalid_input")));
  });
});
