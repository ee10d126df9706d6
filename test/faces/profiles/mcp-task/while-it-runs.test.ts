import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { call, deferred, piecesAfter } from "../../../kinds/agent/world.ts";
import { until } from "../../../until.ts";
import { useTaskClient } from "./task-client.ts";

const client = useTaskClient();
const model = "gpt-6-sol";

const start = async (args: Record<string, unknown> = {}): Promise<{ task_id: unknown }> => {
  const { task_id: id } = await client().data("run_task", { task: "do it", cwd: client().base, ...args });
  return { task_id: id };
};
const check = (task: { task_id: unknown }, more = {}): Promise<Record<string, unknown>> =>
  client().data("check_task_status", { ...task, ...more });

describe("a task of mcp-task that runs", () => {
  it("shows that its model writes: events, their number and the last of them move with every piece", async () => {
    const [first, second] = [deferred(), deferred()];
    client().models.script(model, { text: "I write ", slowly: piecesAfter(first.promise, second.promise) });
    await client().open();
    const task = await start();
    const counted = async (): Promise<number> => Number((await check(task))["messageCount"]);
    await until(async () => (await counted()) === 3);
    const before = await check(task);
    expect(before).toMatchObject({
      recentEvents: [
        expect.stringMatching(/^task_start at /),
        expect.stringMatching(/^message_delta at /),
        expect.stringMatching(/^message_delta at /),
      ],
      lastActivity: expect.stringMatching(/^Last event: message_delta at /) as string,
      requestCount: 0,
      warning: null,
    });
    first.resolve();
    await until(async () => (await counted()) === 4);
    const after = await check(task);
    expect(after["recentEvents"]).toHaveLength(4);
    expect(String(after["lastActivity"]) >= String(before["lastActivity"])).toBe(true);
    second.resolve();
    await client().data("wait_for_task", task);
    expect(await check(task)).toMatchObject({ messageCount: 7, requestCount: 1, status: "completed" });
  });

  it("counts errors in a row, and forgets them when its model answers", async () => {
    const held = deferred();
    const busy = { status: 429, error: "too many requests", headers: { "retry-after": "0.01" } };
    client().models.script(model, busy, busy, busy, { text: "At last.", after: held.promise });
    await client().open();
    const task = await start();
    await until(async () => (await check(task))["errorCount"] === 3);
    expect(await check(task)).toMatchObject({
      warning: "Warning: 3 errors encountered",
      lastError: expect.stringContaining("too many requests") as string,
      lastActivity: expect.stringMatching(/^Last event: error at /) as string,
    });
    held.resolve();
    await client().data("wait_for_task", task);
    const ended = await check(task);
    expect(ended).toMatchObject({ errorCount: 0, warning: null });
    expect(ended).not.toHaveProperty("lastError");
  });

  it("has its question shown and answered, alone and in a batch", async () => {
    const asks = call("ask_user", { question: "Which colour?", options: ["red", "green"] });
    client().models.script(model, asks, { text: "Green it is." });
    await client().open();
    const task = await start();
    const question = { question: "Which colour?", options: ["red", "green"] };
    expect(await client().data("wait_for_task", task)).toEqual({
      ...task,
      status: "running",
      waiting_for_answer: true,
      ...question,
      message: expect.stringContaining("answer_task"),
    });
    expect(await check(task)).toMatchObject({
      ...question,
      status: "running",
      warning: expect.stringContaining("answer_task") as string,
    });
    expect(await client().error("answer_task", { ...task, answer: "blue" })).toBe(
      'Failed to execute task: The answer\'s field "answer" must be one of red, green, got "blue".',
    );
    expect(await client().error("answer_task", task)).toBe(
      "Failed to execute task: answer is missing: it must be a string.",
    );
    expect(await client().data("answer_task", { ...task, answer: "green" })).toEqual({
      ...task,
      status: "running",
      message: expect.stringContaining("wait_for_task"),
    });
    expect(await client().data("wait_for_task", task)).toMatchObject({ status: "completed", output: "Green it is." });
    expect(client().models.heard[1]?.said).toContain("green");
    expect(await client().error("answer_task", { ...task, answer: "green" })).toBe(
      `Failed to execute task: Task ${String(task.task_id)} asks no question. Status: completed`,
    );

    client().models.script("one", { text: "Done." });
    client().models.script("two", asks, { text: "Red." });
    const started = await client().data("run_task", {
      task: "t",
      model: ["openai/one", "openai/two"],
      read_only: true,
    });
    const batch = { batch_id: started["batch_id"], return_all: true };
    const [, asking] = started["task_ids"] as string[];
    const asked = await client().data("wait_for_task", batch);
    expect(asked).toMatchObject({ batch_id: batch.batch_id, task_id: asking, waiting_for_answer: true, ...question });
    await client().data("answer_task", { task_id: asking, answer: "red" });
    expect(await client().data("wait_for_task", batch)).toMatchObject({
      all_complete: true,
      tasks: [{}, { output: "Red." }],
    });
  });

  it("is ended by TASK_TIMEOUT also while it waits for an answer", async () => {
    client().models.script(model, call("ask_user", { question: "Which colour?" }));
    await client().open({ TASK_TIMEOUT: "3000" });
    const task = await start();
    await until(
      async () => (await check(task))["question"] !== undefined || (await check(task))["status"] === "failed",
    );
    await until(async () => (await check(task))["status"] !== "running");
    expect(await check(task)).toMatchObject({
      status: "failed",
      output: "ERROR: Task timed out after 3 seconds",
      lastError: "Task timed out after 3 seconds",
      errorCount: 1,
    });
  });

  it("is told as cancelled when it has ended and not before, and counted by one cancel alone", async () => {
    const slow = {
      command: "trap 'until [ -e go ]; do sleep 0.05; done; exit 0' TERM; touch up; while :; do sleep 0.05; done",
    };
    client().models.script("slow", call("run_command", slow));
    await mkdir(client().home, { recursive: true });
    await writeFile(join(client().home, "config.json"), JSON.stringify({ shell: { term_grace_ms: 60_000 } }));
    await client().open();
    const started = await client().data("run_task", { task: "t", model: ["openai/slow"], cwd: client().base });
    const batch = { batch_id: started["batch_id"] };
    const task = { task_id: (started["task_ids"] as string[])[0] };
    await until(() => existsSync(join(client().base, "up")));
    const cancelling = client().data("cancel_task", batch);
    await until(async () => String((await check(task))["warning"]).includes("is being cancelled"));
    expect(await check(task)).toMatchObject({ status: "running" });
    const again = client().data("cancel_task", batch);
    const single = client().text("cancel_task", task);
    await writeFile(join(client().base, "go"), "");
    const counts = { ...batch, total_tasks: 1 };
    const cancelled = `from batch ${String(batch.batch_id)}`;
    expect(await cancelling).toEqual({
      ...counts,
      cancelled: 1,
      already_complete: 0,
      message: `Cancelled 1 tasks ${cancelled}`,
    });
    expect(await check(task)).toMatchObject({ status: "cancelled", output: "Task was cancelled" });
    expect(await again).toEqual({
      ...counts,
      cancelled: 0,
      already_complete: 1,
      message: `Cancelled 0 tasks ${cancelled}`,
    });
    expect(await single).toContain(String(task.task_id));
    expect(await client().data("cancel_task", batch)).toMatchObject({ cancelled: 0, already_complete: 1 });
  });

  it("tells its status whether or not a summary can be made", async () => {
    client().models.script(model, { text: "I think ", hangs: true });
    client().models.script("gpt-6-luna", { status: 500, error: "no summaries today" });
    await client().open();
    const task = await start();
    await until(async () => (await check(task))["progress"] !== undefined);
    expect(await check(task, { summary: true })).toMatchObject({
      status: "running",
      progress: expect.stringMatching(/^step 1 · thinking/) as string,
    });
    expect(client().models.requests("gpt-6-luna").length).toBeGreaterThan(0);
  });
});

describe("the limits of a task of mcp-task", () => {
  it("are those of its call, and a result that one has cut short says so", async () => {
    let count = 0;
    client().models.script(model, () => ({
      text: `Part ${++count}.`,
      ...call("read_file", { filePath: `f${count}` }),
    }));
    await client().open();
    const task = await start({ max_steps: "2" });
    expect(await client().data("wait_for_task", task)).toMatchObject({
      status: "completed",
      output: "Part 2.\n\n[Stopped by max_steps: this is what it had by then.]",
    });
    const other = await start({ max_tokens: 300 });
    expect(await client().data("wait_for_task", other)).toMatchObject({
      output: expect.stringContaining("[Stopped by max_tokens") as string,
    });
    expect(await client().error("run_task", { task: "t", max_steps: 0 })).toBe(
      "Failed to execute task: max_steps must be at least 1, got 0.",
    );
  });

  it("on steps is that of the configuration where it has one, and else none that a task meets", async () => {
    let count = 0;
    client().models.script(model, () =>
      ++count % 120 === 0 ? { text: "Done." } : call("read_file", { filePath: `f${count}` }),
    );
    await client().open();
    const task = await start();
    expect(await client().data("wait_for_task", task)).toMatchObject({ output: "Done." });
    expect(await check(task)).toMatchObject({ requestCount: 120 });
    await writeFile(join(client().home, "config.json"), JSON.stringify({ agent: { max_steps: 3 } }));
    await client().open();
    const short = await start();
    await client().data("wait_for_task", short);
    expect(await check(short)).toMatchObject({ requestCount: 3, status: "completed" });
  });
});
