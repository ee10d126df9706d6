import { describe, expect, it } from "vitest";
import { call, useAgents } from "./world.ts";

const world = useAgents();

describe("a model that does not answer", () => {
  it("is asked again after the time that it names, however it failed", async () => {
    const { models } = world();
    await world().open({ retry: { tries: 6, initialMs: 10, maxMs: 50 } });
    models.script(
      "m",
      { status: 429, error: "slow down", headers: { "retry-after": "0" } },
      { status: 500, error: "oops" },
      { status: 529, error: "overloaded", headers: { "retry-after-ms": "5" } },
      { text: "Half of it", breaks: true },
      { text: "Here I am." },
    );
    const job = await world().run();
    expect(await world().result(job)).toMatchObject({ output: "Here I am.", steps: 1 });
    expect(models.heard).toHaveLength(5);
    const retries = (await world().activity(job.id)).filter(({ type }) => type === "retry");
    expect(retries.map(({ waitMs }) => waitMs)).toEqual([0, expect.any(Number), 5, expect.any(Number)]);
    expect(retries[0]).toMatchObject({ model: "fake/m", error: "fake/m did not answer (HTTP 429): slow down" });
  });

  it("is given up for the next one, which is then asked first", async () => {
    const { models } = world();
    await world().open();
    models.script("m", { status: 503, error: "down" });
    models.script("claude-x", { status: 401, error: "invalid x-api-key" });
    models.script("n", call("list", {}), { text: "I do it." });
    const job = await world().run({
      model: "fake/m",
      fallback: ["claude-x", "fake/n"],
    });
    expect(await world().result(job)).toMatchObject({ output: "I do it.", model: "fake/n" });
    expect([models.requests("m").length, models.requests("claude-x").length, models.requests("n").length]).toEqual([
      3, 1, 2,
    ]);
  });

  it("does not hand its thoughts on to the next one, which could not read them", async () => {
    const { models } = world();
    await world().open();
    models.script("claude-x", { thinks: "MY THOUGHTS", ...call("list", {}) }, call("glob", { pattern: "x" }), {
      status: 401,
      error: "gone",
    });
    models.script("claude-y", call("todo_list", { items: [] }), { text: "I do it." });
    const job = await world().run({ model: "claude-x", fallback: ["claude-y"] });
    expect(await world().result(job)).toMatchObject({ output: "I do it.", model: "anthropic/claude-y", steps: 4 });
    const thoughts = models.heard.map(({ said }) => said.includes("MY THOUGHTS"));
    expect(thoughts).toEqual([false, true, true, false, false]);
  });

  it.each([
    [{ status: 500, error: "oops" }, "model_busy", "fake/m did not answer (HTTP 500): oops", 3],
    [{ status: 401, error: "bad key" }, "model_refused", "fake/m did not answer (HTTP 401): bad key Check its key.", 1],
    [{ status: 400, error: "bad request" }, "model_refused", "fake/m did not answer (HTTP 400): bad request", 1],
  ] as const)("and has no successor ends the job: %o", async (say, code, message, tries) => {
    const { models } = world();
    await world().open();
    models.script("m", say);
    const job = await world().run();
    expect(job.state).toMatchObject({ status: "failed", failure: { code, message } });
    expect(models.heard).toHaveLength(tries);
  });

  it("because nobody listens there is a busy one", async () => {
    await world().open({ providers: { fake: { type: "openai-compatible", baseUrl: "http://127.0.0.1:9/v1" } } });
    const job = await world().run();
    expect(job.state).toMatchObject({ failure: { code: "model_busy", retryable: true } });
  });

  it("goes on from where it was when its job is retried by hand", async () => {
    const { models } = world();
    const engine = await world().open();
    models.script(
      "m",
      call("write_file", { filePath: "a", content: "1" }),
      { status: 500 },
      { status: 500 },
      { status: 500 },
      { text: "At last." },
    );
    const job = await world().run();
    expect(job.state.status).toBe("failed");
    await engine.retry(job.id);
    const ended = await world().end(job.id);
    expect(await world().result(ended)).toMatchObject({ output: "At last.", steps: 2, tool_calls: 1 });
    expect(models.heard).toHaveLength(5);
  });
});

describe("a conversation that is too long for its model", () => {
  const tooLong = { status: 400, error: "This model's maximum context length is 1000 tokens." };

  it("is cut: first old results, then its middle becomes a digest, and the task stays", async () => {
    const { models } = world();
    world().write("big.txt", "0123456789\n".repeat(3_000));
    await world().open();
    const reads = Array.from({ length: 8 }, (_, index) =>
      call("read_file", { filePath: "big.txt", startLine: index + 1 }),
    );
    models.script("m", ...reads, tooLong, tooLong, { text: "Done anyway." });
    const job = await world().run({ task: "THE TASK" });
    expect(await world().result(job)).toMatchObject({ output: "Done anyway." });
    const [whole, cut, digest] = models.heard.slice(-3).map(({ said }) => said);
    expect(cut?.length).toBeLessThan((whole?.length ?? 0) / 2);
    expect(digest?.length).toBeLessThan((cut?.length ?? 0) / 2);
    expect(digest).toContain("THE TASK");
    expect(digest).toContain("You called read_file");
  });

  it("is cut before the model complains, where its room is known", async () => {
    const { models } = world();
    world().write("big.txt", "0123456789\n".repeat(3_000));
    await world().open({ prices: { "fake/m": { input: 1, output: 1, context_tokens: 1_000 } } });
    const reads = Array.from({ length: 8 }, (_, index) => ({
      ...call("read_file", { filePath: "big.txt", startLine: index + 1 }),
      usage: { input: index === 7 ? 900 : 100, output: 1 },
    }));
    models.script("m", ...reads, { text: "Done." });
    const job = await world().run();
    expect(await world().activity(job.id)).toContainEqual(expect.objectContaining({ type: "compacted" }));
  });

  it("ends the job when nothing is left to cut", async () => {
    const { models } = world();
    await world().open();
    models.script("m", tooLong);
    expect((await world().run()).state).toMatchObject({ failure: { code: "context_overflow" } });
  });
});
