import { describe, expect, it } from "vitest";
import { checkAfterSeconds, warningOf } from "../../../../src/faces/profiles/mcp-task/task-view.ts";
import type { Job } from "../../../../src/index.ts";

const ranFor = (seconds: number, status = "running"): [Job, now: number] => [
  { state: { status, startedAt: 0 } } as unknown as Job,
  seconds * 1_000,
];

describe("when to look at a task again", () => {
  it.each([
    [0, 5],
    [5, 5],
    [6, 10],
    [11, 15],
    [31, 30],
    [61, 60],
    [121, 120],
    [9_999, 120],
  ])("after %i seconds is in %i", (ran, wait) => expect(checkAfterSeconds(...ranFor(ran))).toBe(wait));

  it("is never for one that has ended", () => expect(checkAfterSeconds(...ranFor(5, "failed"))).toBeUndefined());
});

describe("a warning", () => {
  const warn = (
    seconds: number,
    { silentSeconds = 0, errorCount = 0 }: { silentSeconds?: number; errorCount?: number } = {},
    status?: string,
  ): string | null => {
    const [job, now] = ranFor(seconds, status);
    return warningOf(job, { silentMs: silentSeconds * 1_000, errorCount }, now);
  };

  it("is of silence, of a long time, of errors, the later of these counting more", () => {
    expect(warn(61, { silentSeconds: 60 })).toBeNull();
    expect(warn(61, { silentSeconds: 61 })).toBe("Warning: No activity for 61 seconds");
    expect(warn(301, { silentSeconds: 61 })).toBe("Warning: Task running for 5 minutes");
    expect(warn(301, { errorCount: 3 })).toBe("Warning: 3 errors encountered");
    expect(warn(1, { errorCount: 2 })).toBeNull();
    expect(warn(61, { silentSeconds: 61 }, "waiting")).toContain("answer_task");
    expect(warn(999, { silentSeconds: 999 }, "succeeded")).toBeNull();
  });

  it("is not of silence in a task that is heard, however long ago its last step was", () => {
    expect(warn(200, { silentSeconds: 1 })).toBeNull();
  });
});
