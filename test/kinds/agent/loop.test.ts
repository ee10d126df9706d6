import { describe, expect, it } from "vitest";
import { until } from "../../until.ts";
import type { Json } from "../../../src/job/json.ts";
import { call, deferred, piecesAfter, toolResults, useAgents } from "./world.ts";

const world = useAgents();

describe("an agent", () => {
  it("works with tools on real files until it answers, and tells what it used", async () => {
    const { models } = world();
    world().write("src/a.ts", "export const one = 1;\nexport const two = 2;\n");
    await world().open();
    models.script(
      "m",
      { text: "Let me look.", ...call("list", {}) },
      call("glob", { pattern: "src/**/*.ts" }),
      call("grep", { pattern: "tw[o]", searchPath: "src" }),
      call("read_file", { filePath: "src/a.ts", startLine: 2, endLine: 2 }),
      call("write_file", { filePath: "src/new/b.ts", content: "export const three = 3;\n" }),
      call("apply_patch", {
        input:
          "*** Begin Patch\n*** Update File: src/a.ts\n@@\n export const one = 1;\n-export const two = 2;\n+export const two = 22;\n*** End Patch",
      }),
      call("run_command", { command: "cat src/a.ts src/new/b.ts; echo oops >&2; exit 3" }),
      call("todo_list", { items: [{ content: "look", status: "completed" }] }),
      { text: "All done." },
    );
    const job = await world().run({ context: "some context", output: "a sentence" });
    expect(job.state).toMatchObject({ status: "succeeded", partial: false });
    expect(await world().result(job)).toEqual({
      output: "All done.",
      model: "fake/m",
      steps: 9,
      tool_calls: 8,
      tokens: { input: 900, output: 90, cached: 0, reasoning: 0 },
      cost_usd: 0.0018,
    });
    const results = toolResults(models.heard.at(-1)?.body ?? {});
    expect(results).toEqual([
      "src/",
      "src/a.ts",
      "src/a.ts:2: export const two = 2;",
      "2\texport const two = 2;",
      "Wrote 24 characters to src/new/b.ts.",
      "Updated src/a.ts",
      'export const one = 1;\nexport const two = 22;\nexport const three = 3;\n[stderr]\noops\n["cat src/a.ts src/new/b.ts; echo oops >&2; exit 3" exited with code 3.]',
      "[x] look",
    ]);
    expect(world().read("src/a.ts")).toContain("22");
    expect(await world().stream(job.id, "stdout")).toBe("Let me look.\nAll done.\n");
  });

  it("is sent context, files, task and desired output in this order, and its folder in its instructions", async () => {
    const { models } = world();
    world().write("notes.md", "remember the milk");
    world().write("dir/x", "");
    await world().open();
    models.script("m", { text: "ok" });
    await world().run({
      task: "THE TASK",
      context: "THE CONTEXT",
      output: "THE OUTPUT",
      files: ["notes.md", "gone.md"],
    });
    const { body = {} } = models.heard[0] ?? {};
    const [system, user] = body["messages"] as { role: string; content: string }[];
    expect(system?.content).toContain(`The working folder is ${world().root}.`);
    expect(system?.content).toContain("It contains: dir/, notes.md.");
    const places = [
      "THE CONTEXT",
      "=== notes.md ===\nremember the milk\n=== end of notes.md ===",
      "=== gone.md ===\n[it could not be read: gone.md does not exist.]",
      "THE TASK",
      "THE OUTPUT",
    ];
    const at = places.map((text) => user?.content.indexOf(text) ?? -1);
    expect(at).not.toContain(-1);
    expect(at).toEqual(at.toSorted((a, b) => a - b));
  });

  it("speaks to Anthropic's models in their own format", async () => {
    const { models } = world();
    world().write("a.txt", "hello");
    await world().open();
    models.script("claude-x", call("read_file", { filePath: "a.txt" }), { text: "It says hello." });
    const job = await world().run({ model: "claude-x" });
    expect(await world().result(job)).toMatchObject({
      output: "It says hello.",
      model: "anthropic/claude-x",
      steps: 2,
    });
    expect(await world().result(job)).not.toHaveProperty("cost_usd");
    const { path, headers, said } = models.heard[1] ?? {};
    expect(path).toBe("/v1/messages");
    expect(headers?.["x-api-key"]).toBe("fake-key");
    expect(said).toContain("hello");
  });

  it("speaks to Google's models in their own format: tools, errors, and tokens", async () => {
    const { models } = world();
    world().write("a.txt", "hello");
    await world().open({ prices: { "gemini-x": { input: 1, output: 10 } } });
    models.script(
      "gemini-x",
      { text: "I look.", ...call("read_file", { filePath: "a.txt" }) },
      { status: 503, error: "The model is overloaded." },
      { ...call("list", {}), usage: { input: 1_000, output: 100 } },
      { text: "It says hello." },
    );
    const job = await world().run({ model: "gemini-x" });
    expect(await world().result(job)).toEqual({
      output: "It says hello.",
      model: "google/gemini-x",
      steps: 3,
      tool_calls: 2,
      cost_usd: 0.0024,
      tokens: { input: 1_200, output: 120, cached: 0, reasoning: 0 },
    });
    expect(await world().stream(job.id, "stdout")).toBe("I look.\nIt says hello.\n");
    const [first, , , last] = models.heard;
    expect(first?.path).toBe("/v1/models/gemini-x:streamGenerateContent?alt=sse");
    expect(first?.headers["x-goog-api-key"]).toBe("fake-key");
    expect(JSON.stringify(first?.body["tools"])).toContain('"name":"read_file"');
    const contents = (last?.body["contents"] ?? []) as { parts: object[] }[];
    const parts = contents.flatMap(({ parts: some }) => some);
    const args = { filePath: "a.txt" };
    const response = { name: "read_file", content: "1\thello" };
    expect(parts).toMatchObject([
      { text: expect.stringContaining("do it") as string },
      { text: "I look." },
      { functionCall: { name: "read_file", args }, thoughtSignature: "signed" },
      { functionResponse: { name: "read_file", response } },
      { functionCall: { name: "list", args: {} } },
      { functionResponse: { name: "list", response: { content: "a.txt" } } },
    ]);
    expect(await world().activity(job.id)).toContainEqual(
      expect.objectContaining({
        type: "retry",
        error: "google/gemini-x did not answer (HTTP 503): The model is overloaded.",
      }),
    );
  });

  it("shows what it does while it does it: a message made from events, live facts, one line per event", async () => {
    const { models } = world();
    const engine = await world().open();
    const held = deferred();
    models.script(
      "m",
      { ...call("grep", { pattern: "x" }), usage: { input: 11_900, output: 100 } },
      { text: "done", after: held.promise },
    );
    const { id } = await world().submit({});
    await until(() => models.heard.length === 2);
    await until(async () => {
      const { state } = await engine.get(id);
      return "progress" in state && state.progress?.message === "step 2 · thinking · 12k tokens · $0.01";
    });
    expect(await engine.inspect(id)).toMatchObject({ model: "fake/m", steps: 1, tool_calls: 1, tokens: 12_000 });
    held.resolve();
    await world().end(id);
    expect(await world().activity(id)).toMatchObject([
      { type: "step", step: 1, model: "fake/m", tokens: { input: 11_900, output: 100 }, cost_usd: 0.0129 },
      { type: "tool_start", tool: "grep", arguments: "x" },
      { type: "tool_done", tool: "grep", ok: true, result: "Nothing matches." },
      { type: "step", step: 2 },
    ]);
  });

  it("is heard while its model writes, also what is not shown, and not while it waits to ask again", async () => {
    const { models } = world();
    const engine = await world().open();
    const [first, second] = [deferred(), deferred()];
    models.script(
      "m",
      { status: 429, headers: { "retry-after": "0.1" } },
      { text: "1234567890", slowly: piecesAfter(first.promise, second.promise) },
    );
    const { id } = await world().submit({});
    const pieces = async (): Promise<unknown> => (await engine.inspect(id))["pieces"];
    await until(async () => (await pieces()) === 2);
    const before = await engine.inspect(id);
    first.resolve();
    await until(async () => (await pieces()) === 3);
    const after = await engine.inspect(id);
    expect(after["pieces_at"]).toEqual([...(before["pieces_at"] as Json[]), after["last_output_at"]]);
    expect(await engine.silentMs(id)).toBeLessThan(30_000);
    second.resolve();
    await world().end(id);
    expect(await world().activity(id)).toMatchObject([{ type: "retry" }, { type: "step", pieces: 4 }]);
    expect(await engine.silentMs(id)).toBeUndefined();
  });

  it("is told of tools that do not exist, of arguments that do not fit, and goes on", async () => {
    const { models } = world();
    await world().open();
    models.script("m", call("fly", {}), call("read_file", { filePath: 7 }), call("grep", "{broken"), { text: "ok" });
    const job = await world().run();
    expect(job.state.status).toBe("succeeded");
    const results = toolResults(models.heard.at(-1)?.body ?? {});
    expect(results[0]).toMatch(/^There is no tool "fly"; there are read_file, list/);
    expect(results[1]).toBe("filePath must be a string, got 7.");
    expect(results[2]).toBe("Its arguments were not JSON.");
  });

  it("hands in a result by the caller's schema, and is told when it does not fit", async () => {
    const { models } = world();
    await world().open();
    const outputSchema = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] };
    models.script("m", { text: "It is 7." }, call("submit_result", { n: "seven" }), {
      calls: [
        { name: "submit_result", input: { n: 7 } },
        { name: "write_file", input: { filePath: "late", content: "x" } },
      ],
    });
    const job = await world().run({ output_schema: outputSchema });
    expect(await world().result(job)).toMatchObject({ data: { n: 7 }, output: "It is 7.", steps: 3 });
    expect(models.heard[1]?.said).toContain("Call submit_result");
    expect(toolResults(models.heard[2]?.body ?? {})[0]).toBe(`n must be a number, got "seven".`);
    expect(world().has("late")).toBe(false);
  });

  it("ends as failed when it gives up, and when it repeats itself", async () => {
    const { models } = world();
    await world().open();
    models.script("m", call("give_up", { reason: "there is no such thing" }));
    expect((await world().run()).state).toMatchObject({
      failure: { code: "gave_up", message: "there is no such thing" },
    });
    models.script("m", call("list", {}));
    const job = await world().run();
    expect(job.state).toMatchObject({ status: "failed", failure: { code: "looping" } });
    expect(toolResults(models.heard.at(-1)?.body ?? {}).at(-1)).toContain("for the 5th time");
  });
});

describe("a limit", () => {
  it.each([
    [{ max_steps: 2 }, "max_steps", 2],
    [{ max_tokens: 300 }, "max_tokens", 3],
    [{ max_cost_usd: 0.0003 }, "max_cost_usd", 2],
  ] as const)("of %o ends the run in part, with what it has", async (limits, stoppedBy, steps) => {
    const { models } = world();
    await world().open();
    let count = 0;
    models.script("m", () => ({
      text: `Part ${++count}.`,
      ...call("write_file", { filePath: `f${count}`, content: "" }),
    }));
    const job = await world().run(limits);
    expect(job.state).toMatchObject({ status: "succeeded", partial: true });
    expect(await world().result(job)).toMatchObject({ stopped_by: stoppedBy, steps, output: `Part ${steps}.` });
  });

  it("on tokens bounds what one reply may write, and an answer that it has cut off is a part", async () => {
    const { models } = world();
    await world().open();
    models.script(
      "m",
      { ...call("list", {}), usage: { input: 100, output: 50 } },
      { text: "The first half", isCut: true, usage: { input: 40, output: 110 } },
    );
    const job = await world().run({ max_tokens: 300 });
    expect(models.heard.map(({ body }) => body["max_tokens"])).toEqual([300, 150]);
    expect(job.state).toMatchObject({ status: "succeeded", partial: true });
    expect(await world().result(job)).toMatchObject({ stopped_by: "max_tokens", steps: 2, output: "The first half" });
  });

  it("on tokens that is far off bounds no reply: models refuse more than they can write", async () => {
    const { models } = world();
    await world().open();
    models.script("m", { text: "Done." });
    await world().run({ max_tokens: 1_000_000 });
    expect(models.heard[0]?.body).not.toHaveProperty("max_tokens");
  });

  it("of the model's own on an answer is told to it, and what it then says is the result", async () => {
    const { models } = world();
    await world().open();
    models.script("m", { text: "Once upon a", isCut: true }, { text: "A short tale." });
    const job = await world().run();
    expect(await world().result(job)).toMatchObject({ output: "A short tale.", steps: 2 });
    expect(models.heard[1]?.said).toContain("Your answer was cut off");
  });

  it("on cost is refused where no price is known, before anything is made", async () => {
    const engine = await world().open();
    await expect(world().submit({ model: "fake/unknown", max_cost_usd: 1 })).rejects.toThrow(
      'agent.prices["fake/unknown"]',
    );
    expect((await engine.list()).jobs).toEqual([]);
  });
});
