import { describe, expect, it } from "vitest";
import { formatAgo, formatDuration } from "../../../../src/faces/cli/show/duration.ts";
import { parseDuration } from "../../../../src/text/parse-duration.ts";

describe("a duration that somebody writes", () => {
  it("may be units, sums of units or bare seconds", () => {
    expect(["500ms", "30s", "10m", "1h30m", "2d", "90", "1.5s"].map(parseDuration)).toEqual([
      500, 30_000, 600_000, 5_400_000, 172_800_000, 90_000, 1_500,
    ]);
  });

  it("may be nothing else", () => {
    expect(["", "soon", "10 m", "-5s", "5x", "s"].map(parseDuration)).toEqual(Array(6).fill(undefined));
  });
});

describe("a duration that is shown", () => {
  it("has two units at most", () => {
    expect([80, 4_250, 42_000, 187_000, 7_500_000, 273_600_000].map(formatDuration)).toEqual([
      "80ms",
      "4.2s",
      "42s",
      "3m07s",
      "2h05m",
      "3d04h",
    ]);
  });
});

describe("a time that has passed", () => {
  it("is shown in its largest unit", () => {
    expect([0, 12_000, 150_000, 7_300_000, 400_000_000].map(formatAgo)).toEqual([
      "now",
      "12s ago",
      "2m ago",
      "2h ago",
      "4d ago",
    ]);
  });
});
