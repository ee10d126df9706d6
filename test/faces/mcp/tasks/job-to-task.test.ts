import { describe, expect, it } from "vitest";
import type { Job, JobState } from "../../../../src/index.ts";
import {
  toCreatedTask,
  toDetailedTask,
  toLegacyTask,
  type TaskOutcome,
} from "../../../../src/faces/mcp/tasks/job-to-task.ts";
import { statusMessage } from "../../../../src/faces/mcp/tasks/status-message.ts";
import { sampleJob } from "../../../job/sample-job.ts";

const failure = { code: "exit_code", message: "It broke.", retryable: true };
const course = { attempt: 1, interruptions: 0, losses: 0, acceptedAt: 1_000 };
const lease = { worker: "w", fence: 1, expiresAt: 9_000 };
const held = { ...course, lease, startedAt: 1_000, waitedMs: 0 };
const ended = { ...course, startedAt: 1_000, finishedAt: 2_000, expiresAt: 10_000 };

const states: Record<string, JobState> = {
  queued: { ...course, status: "queued", because: "submitted", queuedAt: 1_000, runAt: 1_000 },
  running: { ...held, status: "running" },
  waiting: { ...held, status: "waiting", openQuestions: ["a"], waitingSince: 1_500 },
  succeeded: { ...ended, status: "succeeded", partial: false },
  failed: { ...ended, status: "failed", failure },
  protocol: { ...ended, status: "failed", failure: { ...failure, code: "protocol_error" } },
  timed_out: { ...ended, status: "timed_out", failure },
  cancelled: { ...ended, status: "cancelled", reason: "no longer needed" },
  cancelling: { ...held, status: "running", cancelRequest: { at: 1_700, reason: "stop" } },
};

function jobIn(name: string): Job {
  const state = states[name];
  if (state === undefined) throw new Error(`no state ${name}`);
  return { ...sampleJob(), createdAt: 1_000, state };
}

describe("a job as a task", () => {
  it.each([
    ["queued", "working", "working"],
    ["running", "working", "working"],
    ["waiting", "input_required", "input_required"],
    ["succeeded", "completed", "completed"],
    ["failed", "completed", "failed"],
    ["protocol", "failed", "failed"],
    ["timed_out", "completed", "failed"],
    ["cancelled", "cancelled", "cancelled"],
    ["cancelling", "working", "cancelled"],
  ])("that is %s is %s in the newest revision and %s in 2025-11-25", (name, modern, legacy) => {
    expect(toCreatedTask(jobIn(name), 3_000)["status"]).toBe(modern);
    expect(toLegacyTask(jobIn(name), 3_000).status).toBe(legacy);
  });

  it("lives without a limit while it runs, and as long as it is kept once it has ended", () => {
    expect(toCreatedTask(jobIn("running"), 3_000)).toMatchObject({ ttlMs: null, resultType: "task" });
    expect(toCreatedTask(jobIn("succeeded"), 3_000)["ttlMs"]).toBe(9_000);
    expect(toLegacyTask(jobIn("succeeded"), 3_000)).toMatchObject({ ttl: 9_000, pollInterval: 1_000 });
    expect(toLegacyTask(jobIn("running"), 3_000)).not.toHaveProperty("ttlMs");
  });

  it("has its result only when it is completed, marked as complete", () => {
    const outcome: TaskOutcome = { type: "result", result: { content: [] } };
    expect(toDetailedTask(jobIn("succeeded"), 3_000, { outcome }).result).toEqual({
      resultType: "complete",
      content: [],
    });
    expect(toDetailedTask(jobIn("running"), 3_000, {})).not.toHaveProperty("result");
  });

  it("shows its open questions, and not those that were answered", () => {
    const questions = [
      { key: "a", question: { message: "A?" }, askedAt: 1_500 },
      { key: "b", question: { message: "B?" }, askedAt: 1_500, answer: { action: "decline" } as const },
    ];
    expect(toDetailedTask(jobIn("waiting"), 3_000, { questions }).inputRequests).toEqual({
      a: {
        method: "elicitation/create",
        params: { mode: "form", message: "A?", requestedSchema: { type: "object", properties: {} } },
      },
    });
  });
});

describe("a status message", () => {
  it("names the job and says the last line that it wrote, without a clock", () => {
    const job = { ...jobIn("running"), name: "build" };
    expect(statusMessage(job, 60_000)).toBe("build · running");
    expect(statusMessage(job, 60_000, { line: "compiling main.c" })).toBe("build · compiling main.c");
    expect(statusMessage(jobIn("running"), 60_000, { line: "compiling main.c" })).toBe("compiling main.c");
    const long = statusMessage({ ...job, name: "n".repeat(90) }, 60_000, { line: "x".repeat(90) });
    expect(long).toMatch(/^n{29}… · x+…$/);
    expect(long).toHaveLength(80);
  });

  it("asks what the job asks", () => {
    expect(statusMessage(jobIn("waiting"), 3_000, { question: "Deploy?" })).toBe("waiting for your answer: Deploy?");
  });

  it("says the exit code first, and never cuts it", () => {
    const details = { exit_code: 7, signal: null };
    const state: JobState = {
      ...ended,
      finishedAt: 46_000,
      status: "failed",
      failure: { ...failure, message: `"${"x".repeat(80)}" exited with code 7.`, details },
    };
    expect(statusMessage({ ...jobIn("failed"), name: "build", state }, 50_000)).toBe("exit code 7 after 45 s · build");
    expect(statusMessage({ ...jobIn("succeeded"), kind: "shell" }, 50_000)).toBe("exit code 0 after 1 s");
  });

  it("says how far, where and how long, in at most 80 characters", () => {
    const progress = { percent: 62, phase: "page", counts: { done: 31, total: 50 } };
    const job = { ...jobIn("running"), state: { ...held, status: "running", progress } as JobState };
    expect(statusMessage(job, 1_000 + 196_000)).toBe("62% · page 31/50 · ~2m left");
    const long = {
      ...jobIn("running"),
      state: { ...held, status: "running", progress: { message: "x".repeat(200) } } as JobState,
    };
    expect(statusMessage(long, 3_000)).toHaveLength(80);
  });
});
