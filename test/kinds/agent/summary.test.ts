import { describe, expect, it } from "vitest";
import { until } from "../../until.ts";
import { refusal } from "../../engine/world.ts";
import { call, deferred, useAgents } from "./world.ts";

const world = useAgents();

const summaries = {
  classes: { standard: "fake/m", summary: "fake/s" },
  prices: { "fake/m": { input: 1, output: 10 }, "fake/s": { input: 100, output: 100 } },
};

describe("a summary of a running agent", () => {
  it("is made by a model when somebody asks, counts as the job's, and is made again only after something happened", async () => {
    const { models } = world();
    const engine = await world().open({ ...summaries, secrets: ["the-secret-word"] });
    const [first, second] = [deferred(), deferred()];
    models.script(
      "m",
      call("write_file", { filePath: "a", content: "1" }),
      { ...call("list", {}), after: first.promise },
      { text: "Done.", after: second.promise },
    );
    models.script("s", { text: "It wrote the-secret-word." }, { text: "It looked." });
    const { id } = await world().submit({ task: "THE TASK" });
    await until(() => models.requests("m").length === 2);
    expect(models.requests("s")).toEqual([]);
    const both = await Promise.all([engine.summarize(id), engine.summarize(id)]);
    expect([...both, await engine.summarize(id)]).toEqual(Array.from({ length: 3 }, () => "It wrote [redacted]."));
    expect(models.requests("s")).toHaveLength(1);
    const { said = "", body = {} } = models.requests("s")[0] ?? {};
    expect(said).toContain("THE TASK");
    expect(said).toContain("You called write_file");
    expect(body).not.toHaveProperty("tools");
    expect(await engine.inspect(id)).toMatchObject({ steps: 1, tokens: 220, cost_usd: 0.0002 + 0.011 });
    first.resolve();
    await until(() => models.requests("m").length === 3);
    expect(await engine.summarize(id)).toBe("It looked.");
    second.resolve();
    const result = await world().result(await world().end(id));
    expect(result).toMatchObject({ output: "Done.", steps: 3, tokens: { input: 500, output: 50 } });
    expect(result.cost_usd).toBeCloseTo(3 * 0.0002 + 2 * 0.011);
    expect(models.requests("s")).toHaveLength(2);
    expect((await world().activity(id)).filter(({ type }) => type === "summary")).toMatchObject([
      { model: "fake/s", tokens: { input: 100, output: 10 }, text: "It wrote [redacted]." },
      { text: "It looked." },
    ]);
    await expect(engine.summarize(id)).rejects.toMatchObject(refusal("conflict"));
  });

  it("counts against its limits", async () => {
    const { models } = world();
    const engine = await world().open(summaries);
    const held = deferred();
    models.script("m", { ...call("list", {}), after: held.promise });
    models.script("s", { text: "Long.", usage: { input: 5_000, output: 10 } });
    const { id } = await world().submit({ max_tokens: 4_000 });
    await until(() => models.requests("m").length === 1);
    await engine.summarize(id);
    held.resolve();
    expect(await world().result(await world().end(id))).toMatchObject({ stopped_by: "max_tokens", steps: 1 });
  });

  it("that fails is told, and the run goes on", async () => {
    const { models } = world();
    const engine = await world().open(summaries);
    const held = deferred();
    models.script("m", { text: "Done.", after: held.promise });
    models.script("s", { status: 500, error: "oops" }, { text: "It has begun." });
    const { id } = await world().submit({});
    await until(() => models.requests("m").length === 1);
    await expect(engine.summarize(id)).rejects.toThrow(
      "No summary could be made: fake/s did not answer (HTTP 500): oops",
    );
    expect(await engine.summarize(id)).toBe("It has begun.");
    held.resolve();
    expect(await world().result(await world().end(id))).toMatchObject({ output: "Done." });
  });

  it("is made by the run's own model where the class leads to none whose price is known, and by nobody for other kinds", async () => {
    const { models } = world();
    const providers = { fake: { type: "openai-compatible", baseUrl: models.url, apiKey: "fake-key" } } as const;
    const engine = await world().open({ providers });
    const held = deferred();
    models.script("m", { text: "Done.", after: held.promise }, { text: "It thinks." });
    const { id } = await world().submit({});
    await until(() => models.heard.length === 1);
    expect(await engine.summarize(id)).toBe("It thinks.");
    held.resolve();
    const command = await engine.submit({ kind: "shell", input: { command: "sleep 100" } });
    await until(async () => (await engine.get(command.id)).state.status === "running");
    await expect(engine.summarize(command.id)).rejects.toThrow('jobs of kind "shell" have no summaries');
  });
});
