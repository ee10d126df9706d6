import { Client, type CallToolResult } from "@modelcontextprotocol/client";
import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FakeModels } from "../../../kinds/agent/fake-models.ts";
import { until } from "../../../until.ts";
import { openTransport } from "../../mcp/official-client.ts";
import { serveBuilt, type TestServer } from "../../mcp/server-process.ts";

const iso = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/) as string;

describe("the profile mcp-task", () => {
  let base = "";
  let home = "";
  let models: FakeModels;
  let server: TestServer | undefined;
  let client: Client | undefined;
  beforeEach(async () => {
    base = await realpath(await mkdtemp(join(tmpdir(), "longhaul-task-")));
    home = join(base, "home");
    models = await FakeModels.open();
  });
  afterEach(async () => {
    await client?.close();
    await server?.stop();
    await models.close();
    await rm(base, { recursive: true, force: true });
  });

  async function open(variables: Record<string, string> = {}): Promise<void> {
    const keys = { OPENAI_BASE_URL: models.url, OPENAI_API_KEY: "sk-secret-of-openai-1234" };
    server = await serveBuilt(home, { ...keys, ...variables });
    client = new Client({ name: "drop-in", version: "0.0.0" });
    await client.connect(openTransport({ ...server, url: `${server.url}/mcp-task` }, "http", server.token));
  }
  const call = async (name: string, args: Record<string, unknown> = {}): Promise<CallToolResult> =>
    (await client?.callTool({ name, arguments: args })) as CallToolResult;
  const text = async (name: string, args: Record<string, unknown> = {}): Promise<string> => {
    const [first] = (await call(name, args)).content;
    return first?.type === "text" ? first.text : "";
  };
  const data = async (name: string, args: Record<string, unknown> = {}): Promise<Record<string, unknown>> => {
    const { structuredContent, content, isError } = await call(name, args);
    const [first] = content;
    expect({ isError, first }).toMatchObject({ isError: undefined });
    expect(first).toEqual({ type: "text", text: JSON.stringify(structuredContent, null, 2) });
    return structuredContent as Record<string, unknown>;
  };
  const error = async (name: string, args: Record<string, unknown> = {}): Promise<string> => {
    const { isError, content } = await call(name, args);
    const [first] = content;
    return isError === true && first?.type === "text" ? first.text : "no error";
  };

  it("has the six tools with their hints, and three prompts", async () => {
    await open();
    const tools = (await client?.listTools())?.tools ?? [];
    expect(tools.map(({ name, annotations }) => [name, ...Object.values(annotations ?? {})])).toEqual([
      ["run_task", false, false, false, true],
      ["check_task_status", true, false, false, false],
      ["get_task_result", true, false, false, false],
      ["cancel_task", false, true, true, false],
      ["wait_for_task", true, false, true, false],
      ["list_tasks", true, false, false, false],
    ]);
    expect(tools[0]?.title).toBe("Run AI Task");
    expect(Object.keys(tools[0]?.inputSchema.properties ?? {})).toEqual([
      "task",
      "model",
      "context",
      "output",
      "files",
      "read_only",
      "cwd",
    ]);
    const prompts = (await client?.listPrompts())?.prompts ?? [];
    expect(prompts.map(({ name }) => name)).toEqual(["solve", "plan", "code"]);
    const solve = await client?.getPrompt({ name: "solve", arguments: { problem: "it leaks", files: "a.ts,b.ts" } });
    const [message] = solve?.messages ?? [];
    expect(message?.role).toBe("user");
    const said = JSON.stringify(message?.content);
    for (const part of ["it leaks", "a.ts,b.ts", "run_task", "gpt-5", "reasoning", "read_only true"])
      expect(said).toContain(part);
    expect(JSON.stringify(await client?.getPrompt({ name: "code" }))).toContain("read_only false");
  });

  it("runs a task, and tells its status and its result", async () => {
    models.script("gpt-6-sol", { calls: [{ name: "list", input: {} }] }, { text: "one two three four five" });
    await open();
    await writeFile(join(base, "some-file"), "");
    const started = await data("run_task", { task: "Count to five", output: "numbers", cwd: base });
    expect(started).toEqual({ task_id: expect.any(String), status: "pending", message: expect.any(String) });
    const { task_id: id } = started;
    expect(started["message"]).toContain("standard-count-five");
    const done = await data("wait_for_task", { task_id: id, timeout_seconds: 20 });
    expect(done).toEqual({
      task_id: id,
      status: "completed",
      output: "one two three four five",
      completed_at: iso,
      wait_time_seconds: expect.any(Number),
    });
    expect(await data("check_task_status", { task_id: "standard-count-five" })).toEqual({
      id,
      status: "completed",
      model: "standard",
      readOnly: false,
      createdAt: iso,
      startedAt: iso,
      completedAt: iso,
      output: "one two three four five",
      progress: expect.stringContaining("2 steps · 220 tokens"),
      messageCount: 4,
      requestCount: 2,
      recentEvents: ["step", "tool_start", "tool_done", "step"].map(
        (type) => expect.stringMatching(new RegExp(`^${type} at \\d{4}-`)) as string,
      ),
      toolCalls: ["Called: list"],
      lastActivity: expect.stringMatching(/^Last event: step at /),
      check_after: null,
      warning: null,
      errorCount: 0,
    });
    expect(await text("get_task_result", { task_id: id })).toBe("one two three four five");
    expect(await text("cancel_task", { task_id: id })).toContain("could not cancel (may be already completed)");
    const again = await data("run_task", { task: "Count to five", model: "standard" });
    expect(again["message"]).toContain("standard-count-five-1");
  });

  it("tells what runs, when to look again, and cancels it for real", async () => {
    models.script("gpt-6-sol", { text: "I think ", hangs: true });
    await open();
    const { task_id: id } = await data("run_task", { task: "think", read_only: true, output: "deep thoughts" });
    await until(() => models.heard.length === 1);
    const status = await data("check_task_status", { task_id: id });
    expect(status).toMatchObject({
      status: "running",
      readOnly: true,
      check_after: expect.stringMatching(/^Please wait \d+ seconds before checking this task again$/) as string,
      check_after_seconds: expect.any(Number) as number,
    });
    expect(status).not.toHaveProperty("output");
    expect(models.heard).toHaveLength(1);
    models.script("gpt-6-luna", { text: "It thinks deeply." });
    expect(await data("check_task_status", { task_id: id, summary: true })).toMatchObject({
      progress: "It thinks deeply.",
    });
    expect(models.heard).toHaveLength(2);
    expect(await error("get_task_result", { task_id: id })).toBe(
      `Failed to execute task: Task ${String(id)} is not complete. Status: running`,
    );
    expect(await data("wait_for_task", { task_id: id, timeout_seconds: 0.2 })).toEqual({
      task_id: id,
      status: "running",
      timeout: true,
      message: expect.any(String),
    });
    expect(await text("cancel_task", { task_id: id })).toBe(`Task ${String(id)} cancelled successfully`);
    await until(() => models.heard[0]?.isAborted === true);
    await until(async () => (await data("check_task_status", { task_id: id }))["status"] === "cancelled");
    expect((await data("check_task_status", { task_id: id }))["check_after"]).toBeNull();
  });

  it("runs a batch of models of which one fails and one hangs", async () => {
    models.script("good", { text: "forty-two" });
    models.script("bad", { status: 400, error: "no such model" });
    models.script("slow", { text: "hmm ", hangs: true });
    await open();
    const wanted = ["openai/good", "openai/bad", "openai/slow"];
    expect(await error("run_task", { task: "answer", model: wanted })).toMatch(
      /^Failed to execute task: Multiple models with write access \(read_only: false\) is not allowed/,
    );
    const batch = await data("run_task", { task: "answer", models: JSON.stringify(wanted), read_only: true });
    expect(batch).toEqual({
      batch_id: expect.stringMatching(/^batch-\d+-[0-9a-z]+$/),
      task_ids: [expect.any(String), expect.any(String), expect.any(String)],
      status: "pending",
      message: expect.any(String),
    });
    const { batch_id: id } = batch;
    const ids = batch["task_ids"] as string[];
    await until(
      async () => ((await data("list_tasks", { batch_id: id }))["stats"] as { running: number }).running === 1,
    );
    expect(await data("list_tasks", { batch_id: id })).toEqual({
      stats: { total: 3, pending: 0, running: 1, completed: 1, failed: 1, cancelled: 0 },
      tasks: wanted.map((model, index) => ({
        id: ids[index],
        status: ["completed", "failed", "running"][index],
        task: "answer",
        model,
        batchId: id,
        readOnly: true,
        createdAt: iso,
        ...(index === 2 ? {} : { completedAt: iso }),
      })),
      filters_applied: { batch_id: id, status: null, recent_only: false },
    });
    expect(await data("list_tasks", { status_filter: "failed", recent_only: true })).toMatchObject({
      stats: { total: 1, failed: 1 },
      tasks: [{ id: ids[1] }],
      filters_applied: { batch_id: null, status: "failed", recent_only: true },
    });
    expect(await data("list_tasks", { status_filter: "nonsense" })).toMatchObject({ stats: { total: 0 }, tasks: [] });
    expect(await data("wait_for_task", { batch_id: id, timeout_seconds: 0.2, return_all: true })).toEqual({
      batch_id: id,
      timeout: true,
      message: expect.any(String),
      completed_tasks: 2,
      running_tasks: 1,
      pending_tasks: 0,
      total_tasks: 3,
    });
    const next = data("wait_for_task", { batch_id: id, timeout_seconds: 30 });
    expect(await data("cancel_task", { batch_id: id })).toEqual({
      batch_id: id,
      total_tasks: 3,
      cancelled: 1,
      already_complete: 2,
      message: expect.any(String),
    });
    expect(await next).toMatchObject({
      batch_id: id,
      newly_completed: true,
      task_id: ids[2],
      status: "cancelled",
      remaining_tasks: 0,
      previously_completed: 2,
    });
    // In the server that this one replaces this burned the whole timeout.
    const all = {
      batch_id: id,
      all_complete: true,
      tasks: ids.map((task) => expect.objectContaining({ id: task, completed_at: iso }) as object),
      wait_time_seconds: 0,
    };
    expect(await data("wait_for_task", { batch_id: id })).toEqual(all);
    expect(await data("wait_for_task", { batch_id: id, return_all: true })).toEqual(all);
    expect(await text("get_task_result", { task_id: ids[1] })).toBe(
      "ERROR: openai/bad did not answer (HTTP 400): no such model",
    );
  });

  it("refuses in the words that its clients know", async () => {
    await open();
    const expected: [string, Record<string, unknown>, string][] = [
      ["run_task", {}, "Task parameter is required and must be a string"],
      ["run_task", { task: 5 }, "Task parameter is required and must be a string"],
      ["check_task_status", {}, "task_id is required"],
      ["check_task_status", { task_id: "nope" }, "Task nope not found"],
      ["get_task_result", { task_id: "nope" }, "Task nope not found"],
      ["cancel_task", {}, "Either task_id or batch_id is required"],
      ["cancel_task", { task_id: "a", batch_id: "b" }, "Provide either task_id or batch_id, not both"],
      ["wait_for_task", {}, "Either task_id or batch_id is required"],
      ["wait_for_task", { task_id: "nope" }, "Task nope not found"],
      ["wait_for_task", { batch_id: "nope" }, "No tasks found with batch_id: nope"],
    ];
    for (const [name, args, message] of expected)
      expect(await error(name, args)).toBe(`Failed to execute task: ${message}`);
    expect(await text("cancel_task", { batch_id: "nope" })).toBe("No tasks found with batch_id: nope");
    expect(await text("cancel_task", { task_id: "nope" })).toContain("could not cancel (may be already completed)");
    const listed = await client?.callTool({ name: "list_tasks" });
    expect(listed).toMatchObject({ structuredContent: { stats: { total: 0 } } });
  });

  it("never gives write access to a caller who wrote read_only as a text", async () => {
    models.script("gpt-6-sol", { text: "Looked." });
    await open();
    const { task_id: id } = await data("run_task", { task: "look", read_only: "true" });
    expect(await data("check_task_status", { task_id: id, summary: "false" })).toMatchObject({ readOnly: true });
    expect(await data("wait_for_task", { task_id: id, timeout_seconds: "20" })).toMatchObject({ output: "Looked." });
    expect(await data("list_tasks", { recent_only: "true" })).toMatchObject({ filters_applied: { recent_only: true } });
    for (const unclear of ["yes", "True", 1, null]) {
      expect(await error("run_task", { task: "look", read_only: unclear })).toBe(
        `Failed to execute task: read_only must be true or false, got ${JSON.stringify(unclear)}.`,
      );
    }
  });

  it("takes its keys from ENV_FILE, and its time limits are real", async () => {
    const keys = { ENV_FILE: join(base, "keys.env"), OPENAI_API_KEY: "" };
    await writeFile(keys.ENV_FILE, "OPENAI_API_KEY=sk-from-the-file-123456\n");
    models.script("gpt-6-sol", { text: "Hello." }, { text: "hm ", hangs: true });
    await open(keys);
    const first = await data("run_task", { task: "greet" });
    expect(await data("wait_for_task", { task_id: first["task_id"] })).toMatchObject({ output: "Hello." });
    expect(models.heard[0]?.headers.authorization).toBe("Bearer sk-from-the-file-123456");
    await client?.close();
    await server?.stop();
    await open({ ...keys, TASK_TIMEOUT: "700" });
    const second = await data("run_task", { task: "think for ever" });
    expect(await data("wait_for_task", { task_id: second["task_id"], timeout_seconds: 30 })).toMatchObject({
      status: "failed",
      output: "ERROR: The job ran longer than its limit of 700 ms.",
    });
  });
});
