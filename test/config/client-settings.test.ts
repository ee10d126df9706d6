import { describe, expect, it } from "vitest";
import { readBroughtKeys, readClientSettings } from "../../src/config/client-settings.ts";
import { loadConfig } from "../../src/config/config.ts";

const serverWith = (env: Record<string, string> = {}): ReturnType<typeof loadConfig> =>
  loadConfig({}, { LONGHAUL_HOME: "/nowhere", ...env });

describe("the settings of a client", () => {
  it("hold where the server has none", () => {
    const client = { TASK_TIMEOUT: "90000000", TASK_STUCK_THRESHOLD: "5000" };
    const { taskLimits } = readClientSettings("mcp-task", client, serverWith(), "/");
    expect(taskLimits).toEqual({ runMs: 90_000_000, idleMs: 5_000 });
  });

  it("are narrowed by those of the server, and narrow them", () => {
    const server = serverWith({ TASK_TIMEOUT: "1000", TASK_STUCK_THRESHOLD: "9000" });
    const client = { TASK_TIMEOUT: "2000", TASK_STUCK_THRESHOLD: "5000" };
    expect(readClientSettings("mcp-task", client, server, "/").taskLimits).toEqual({ runMs: 1_000, idleMs: 5_000 });
    expect(readClientSettings("mcp-task", {}, server, "/").taskLimits).toEqual({ runMs: 1_000, idleMs: 9_000 });
  });

  it("of mcp-background-job are narrowed each in its way", () => {
    const server = serverWith({ MCP_BG_MAX_JOBS: "5", MCP_BG_JOB_TIMEOUT: "10", MCP_BG_WORKING_DIR: "/srv" });
    const client = { MCP_BG_MAX_JOBS: "9", MCP_BG_JOB_TIMEOUT: "3", MCP_BG_MAX_OUTPUT_SIZE: "2MB" };
    const { backgroundJob } = readClientSettings("background-job", client, server, "/home/ada");
    expect(backgroundJob).toMatchObject({
      maxJobs: 5,
      jobTimeoutMs: 3_000,
      maxOutputBytes: 2_097_152,
      workingDir: "/srv",
      isStrict: true,
    });
    const moved = readClientSettings("background-job", { MCP_BG_WORKING_DIR: "work" }, server, "/home/ada");
    expect(moved.backgroundJob.workingDir).toBe("/home/ada/work");
  });

  it("of each of several profiles count", () => {
    const client = { MCP_BG_MAX_JOBS: "3", TASK_TIMEOUT: "60" };
    const { backgroundJob, taskLimits } = readClientSettings("background-job,mcp-task", client, serverWith(), "/");
    expect([backgroundJob.maxJobs, taskLimits]).toEqual([
      3,
      readClientSettings("mcp-task", client, serverWith(), "/").taskLimits,
    ]);
  });

  it("of other profiles are not looked at", () => {
    const server = serverWith();
    expect(readClientSettings("core", { MCP_BG_MAX_JOBS: "lots" }, server, "/").backgroundJob).toBe(
      server.backgroundJob,
    );
  });
});

describe("the keys that a client brings", () => {
  it("are those that the server has none of its own for, and nothing else", () => {
    const env = { ANTHROPIC_API_KEY: "a", OPENROUTER_API_KEY: "o", RUNPOD_API_KEY: "r", AWS_SECRET_ACCESS_KEY: "x" };
    expect(readBroughtKeys(env, serverWith())).toEqual({
      ANTHROPIC_API_KEY: "a",
      OPENROUTER_API_KEY: "o",
      RUNPOD_API_KEY: "r",
    });
    expect(readBroughtKeys(env, serverWith({ ANTHROPIC_API_KEY: "own", RUNPOD_API_KEY: "own" }))).toEqual({
      OPENROUTER_API_KEY: "o",
    });
  });

  it("are refused with an address that is none", () => {
    expect(() => readBroughtKeys({ OLLAMA_HOST: "http://" }, serverWith())).toThrow("OLLAMA_HOST must be a URL");
  });
});
