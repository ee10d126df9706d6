import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { until } from "../../../until.ts";
import { useTaskClient } from "./task-client.ts";

const iso = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/) as string;
const client = useTaskClient();

describe("the profile mcp-task", () => {
  it("has prompts that name its tools and the models that there are keys for", async () => {
    await client().open();
    const say = async (name: string, args?: Record<string, string>): Promise<string> => {
      const { description, messages } = await client().client.getPrompt({ name, arguments: args });
      expect(description).toEqual(expect.any(String));
      expect(messages.map(({ role }) => role)).toEqual(["user"]);
      const [{ content } = {}] = messages;
      return content?.type === "text" ? content.text : "";
    };
    const solve = await say("solve", { problem: "it leaks", files: "a.ts,b.ts" });
    for (const part of [
      "a.ts,b.ts",
      "run_task",
      '["gpt-5", "reasoning"]',
      "read_only true",
      "wait_for_task",
      "list_tasks",
    ])
      expect(solve).toContain(part);
    expect(solve).toMatch(/Problem to solve:\nit leaks$/);
    const plan = await say("plan", { task: "a bridge" });
    expect(plan).toContain('model "gpt-5" and read_only true');
    expect(plan).toMatch(/Task to plan:\na bridge$/);
    const code = await say("code");
    expect(code).toContain('model "gpt-5" and read_only false');
    expect(code).toMatch(/Coding task to perform:\nFind out from our conversation what is to be coded.$/);
    const { prompts } = await client().client.listPrompts();
    expect(prompts[0]?.arguments?.map(({ name, required }) => [name, required])).toEqual([
      ["problem", true],
      ["context", false],
      ["files", false],
    ]);
  });

  it("runs a task, and tells its status and its result", async () => {
    client().models.script("gpt-6-sol", { calls: [{ name: "list", input: {} }] }, { text: "one two three four five" });
    await client().open();
    await writeFile(join(client().base, "some-file"), "");
    const started = await client().data("run_task", { task: "Count to five", output: "numbers", cwd: client().base });
    expect(started).toEqual({ task_id: expect.any(String), status: "pending", message: expect.any(String) });
    const { task_id: id } = started;
    expect(started["message"]).toContain("standard-count-five");
    const done = await client().data("wait_for_task", { task_id: id, timeout_seconds: 20 });
    expect(done).toEqual({
      task_id: id,
      status: "completed",
      output: "one two three four five",
      completed_at: iso,
      wait_time_seconds: expect.any(Number),
    });
    expect(await client().data("check_task_status", { task_id: "standard-count-five" })).toEqual({
      id,
      status: "completed",
      model: "standard",
      createdAt: iso,
      startedAt: iso,
      completedAt: iso,
      output: "one two three four five",
      progress: expect.stringContaining("2 steps · 220 tokens"),
      messageCount: 12,
      requestCount: 2,
      recentEvents: ["response_output", "tool_start", "tool_done", "response_output", "task_complete"].map(
        (type) => expect.stringMatching(new RegExp(`^${type} at \\d{4}-`)) as string,
      ),
      toolCalls: ["Called: list"],
      lastActivity: expect.stringMatching(/^Last event: task_complete at /),
      check_after: null,
      warning: null,
      errorCount: 0,
    });
    expect(await client().text("get_task_result", { task_id: id })).toBe("one two three four five");
    expect(await client().text("cancel_task", { task_id: id })).toMatch(
      /^Could not cancel task .+ \(may be already completed\)$/,
    );
    const again = await client().data("run_task", { task: "Count to five", model: "standard" });
    expect(again["message"]).toContain("standard-count-five-1");
  });

  it("tells what runs, when to look again, and cancels it for real", async () => {
    client().models.script("gpt-6-sol", { text: "I think ", hangs: true });
    await client().open();
    const { task_id: id } = await client().data("run_task", {
      task: "think",
      read_only: true,
      output: "deep thoughts",
    });
    await until(() => client().models.heard.length === 1);
    const status = await client().data("check_task_status", { task_id: id });
    expect(status).toMatchObject({
      status: "running",
      readOnly: true,
      check_after: expect.stringMatching(/^Please wait \d+ seconds before checking this task again$/) as string,
      check_after_seconds: expect.any(Number) as number,
    });
    expect(status).not.toHaveProperty("output");
    expect(client().models.heard).toHaveLength(1);
    client().models.script("gpt-6-luna", { text: "It thinks deeply." });
    expect(await client().data("check_task_status", { task_id: id, summary: true })).toMatchObject({
      progress: "It thinks deeply.",
    });
    expect(client().models.heard).toHaveLength(2);
    expect(await client().error("get_task_result", { task_id: id })).toBe(
      `Failed to execute task: Task ${String(id)} is not complete. Status: running`,
    );
    expect(await client().data("wait_for_task", { task_id: id, timeout_seconds: 0.2 })).toEqual({
      task_id: id,
      status: "running",
      timeout: true,
      message: expect.any(String),
    });
    expect(await client().text("cancel_task", { task_id: id })).toBe(`Task ${String(id)} cancelled successfully`);
    expect(await client().data("check_task_status", { task_id: id })).toMatchObject({
      status: "cancelled",
      check_after: null,
    });
    await until(() => client().models.heard[0]?.isAborted === true);
  });

  it("runs a batch of models of which one fails and one hangs", async () => {
    client().models.script("good", { text: "forty-two" });
    client().models.script("bad", { status: 400, error: "no such model" });
    client().models.script("slow", { text: "hmm ", hangs: true });
    await client().open();
    const wanted = ["openai/good", "openai/bad", "openai/slow"];
    expect(await client().error("run_task", { task: "answer", model: wanted })).toMatch(
      /^Failed to execute task: Multiple models with write access \(read_only: false\) is not allowed/,
    );
    const batch = await client().data("run_task", { task: "answer", models: JSON.stringify(wanted), read_only: true });
    expect(batch).toEqual({
      batch_id: expect.stringMatching(/^batch-\d+-[0-9a-z]+$/),
      task_ids: [expect.any(String), expect.any(String), expect.any(String)],
      status: "pending",
      message: expect.any(String),
    });
    const { batch_id: id } = batch;
    const ids = batch["task_ids"] as string[];
    await until(
      async () => ((await client().data("list_tasks", { batch_id: id }))["stats"] as { running: number }).running === 1,
    );
    expect(await client().data("list_tasks", { batch_id: id })).toEqual({
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
    expect(await client().data("list_tasks", { status_filter: "failed", recent_only: true })).toMatchObject({
      stats: { total: 1, failed: 1 },
      tasks: [{ id: ids[1] }],
      filters_applied: { batch_id: null, status: "failed", recent_only: true },
    });
    expect(await client().data("list_tasks", { status_filter: "nonsense" })).toMatchObject({
      stats: { total: 0 },
      tasks: [],
    });
    expect(await client().data("wait_for_task", { batch_id: id, timeout_seconds: 0.2, return_all: true })).toEqual({
      batch_id: id,
      timeout: true,
      message: expect.any(String),
      completed_tasks: 2,
      running_tasks: 1,
      pending_tasks: 0,
      total_tasks: 3,
    });
    const next = client().data("wait_for_task", { batch_id: id, timeout_seconds: 30 });
    expect(await client().data("cancel_task", { batch_id: id })).toEqual({
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
    expect(await client().data("wait_for_task", { batch_id: id })).toEqual(all);
    expect(await client().data("wait_for_task", { batch_id: id, return_all: true })).toEqual(all);
    expect(await client().text("get_task_result", { task_id: ids[1] })).toBe(
      "ERROR: openai/bad did not answer (HTTP 400): no such model",
    );
  });

  it("refuses in the words that its clients know", async () => {
    await client().open();
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
      expect(await client().error(name, args)).toBe(`Failed to execute task: ${message}`);
    expect(await client().text("cancel_task", { batch_id: "nope" })).toBe("No tasks found with batch_id: nope");
    expect(await client().text("cancel_task", { task_id: "nope" })).toMatch(
      /^Could not cancel task .+ \(may be already completed\)$/,
    );
    const listed = await client().client.callTool({ name: "list_tasks" });
    expect(listed).toMatchObject({ structuredContent: { stats: { total: 0 } } });
  });

  it("never gives write access to a caller who wrote read_only as a text", async () => {
    client().models.script("gpt-6-sol", { text: "Looked." });
    await client().open();
    const { task_id: id } = await client().data("run_task", { task: "look", read_only: "true" });
    expect(await client().data("check_task_status", { task_id: id, summary: "false" })).toMatchObject({
      readOnly: true,
    });
    expect(await client().data("wait_for_task", { task_id: id, timeout_seconds: "20" })).toMatchObject({
      output: "Looked.",
    });
    expect(await client().data("list_tasks", { recent_only: "true" })).toMatchObject({
      filters_applied: { recent_only: true },
    });
    for (const unclear of ["yes", "True", 1, null]) {
      expect(await client().error("run_task", { task: "look", read_only: unclear })).toBe(
        `Failed to execute task: read_only must be true or false, got ${JSON.stringify(unclear)}.`,
      );
    }
  });

  it("takes its keys from ENV_FILE, and its time limits are real", async () => {
    const keys = { ENV_FILE: join(client().base, "keys.env"), OPENAI_API_KEY: "" };
    await writeFile(keys.ENV_FILE, "OPENAI_API_KEY=sk-from-the-file-123456\n");
    client().models.script("gpt-6-sol", { text: "Hello." }, { text: "hm ", hangs: true });
    await client().open(keys);
    const first = await client().data("run_task", { task: "greet" });
    expect(await client().data("wait_for_task", { task_id: first["task_id"] })).toMatchObject({ output: "Hello." });
    expect(client().models.heard[0]?.headers.authorization).toBe("Bearer sk-from-the-file-123456");
    await client().open({ ...keys, TASK_TIMEOUT: "700" });
    const second = await client().data("run_task", { task: "think for ever" });
    expect(await client().data("wait_for_task", { task_id: second["task_id"], timeout_seconds: 30 })).toMatchObject({
      status: "failed",
      output: "ERROR: Task timed out after 1 seconds",
    });
  });
});
