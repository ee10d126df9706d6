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
  const quiet = { messageCount: 0, requestCount: 0, recentEvents: [], toolCalls: [], errorCount: 0 };
  const warn = (
    seconds: number,
    facts: { lastAt?: number; errorCount?: number } = {},
    status?: string,
  ): string | null => {
    const [job, now] = ranFor(seconds, status);
    return warningOf(job, { ...quiet, ...facts }, now);
  };

  it("is of silence, of a long time, of errors, the later of these counting more", () => {
    expect(warn(60)).toBeNull();
    expect(warn(61)).toBe("No activity for 61s");
    expect(warn(100, { lastAt: 90_000 })).toBeNull();
    expect(warn(301)).toBe("Task has been running for 5 minutes");
    expect(warn(301, { errorCount: 3 })).toBe("3 errors encountered");
    expect(warn(1, { errorCount: 2 })).toBeNull();
    expect(warn(61, {}, "waiting")).toBe("It waits for the answer to a question");
    expect(warn(999, {}, "succeeded")).toBeNull();
  });
});
