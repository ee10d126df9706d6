import { describe, expect, it } from "vitest";
import { until } from "../../until.ts";
import { call, toolResults, useAgents } from "./world.ts";

const world = useAgents();
const models = { standard: "fake/m", mini: "fake/n" };
const delegate = (task: string, more: object = {}): { name: string; input: object } => ({
  name: "delegate",
  input: { task, model: "fake/n", ...more },
});

describe("an agent that hands on a part of its task", () => {
  it("gets the answer, and what that has used counts as its own", async () => {
    const engine = await world().open({
      classes: models,
      prices: { "fake/m": { input: 1, output: 10 }, "fake/n": { input: 2, output: 20 } },
    });
    world().write("a.txt", "A");
    world().models.script("m", { calls: [delegate("Read a.txt.")] }, { text: "It says A." });
    world().models.script("n", call("read_file", { filePath: "a.txt" }), { text: "A" });
    const job = await world().run();
    expect(await world().result(job)).toMatchObject({
      output: "It says A.",
      steps: 2,
      tokens: { input: 400, output: 40 },
    });
    expect(await world().result(job)).toMatchObject({ cost_usd: 0.0012 });
    expect(toolResults(world().models.requests("m").at(-1)?.body ?? {})).toEqual(["A"]);
    const { jobs } = await engine.list({ parent: job.id });
    expect(jobs.map(({ kind, state }) => [kind, state.status])).toEqual([["agent", "succeeded"]]);
    // What it was told is its task, and nothing of its parent's conversation.
    expect(world().models.requests("n")[0]?.said).not.toContain("do it");
  });

  it("waits for several that only read side by side, with fewer slots than agents", async () => {
    await world().open({ classes: models, concurrency: 2 });
    const calls = ["alpha", "beta"].map((task) => delegate(task, { read_only: true }));
    world().models.script("m", ({ body }) => (toolResults(body).length === 0 ? { calls } : { text: "Both." }));
    world().models.script("n", ({ said }) => ({ text: said.includes("alpha") ? "1" : "2" }));
    const [first, second] = await Promise.all([world().run(), world().run()]);
    expect([first.state.status, second.state.status]).toEqual(["succeeded", "succeeded"]);
    expect(toolResults(world().models.requests("m").at(-1)?.body ?? {})).toEqual(["1", "2"]);
    expect(world().models.requests("n")[0]?.body["tools"]).not.toContainEqual(
      expect.objectContaining({ function: expect.objectContaining({ name: "write_file" }) as object }),
    );
  });

  it("goes on without what has failed, and lets nobody below its delegates delegate", async () => {
    await world().open({ classes: models });
    world().models.script("m", { calls: [delegate("one")] }, { text: "Without." });
    world().models.script(
      "n",
      ({ said }) =>
        said.includes("deeper") ? call("give_up", { reason: "too deep" }) : { calls: [delegate("deeper")] },
      { text: "x" },
    );
    const job = await world().run();
    expect(job.state).toMatchObject({ status: "succeeded" });
    const offered = world()
      .models.requests("n")
      .map(({ body }) => JSON.stringify(body["tools"]).includes('"delegate"'));
    expect(offered).toEqual([true, false, true]);
  });

  it("may use no more than what its own limits leave", async () => {
    await world().open({ classes: models });
    world().models.script("m", { calls: [delegate("one")] }, { text: "Done." });
    world().models.script("n", call("list", {}));
    const job = await world().run({ max_tokens: 500 });
    expect(job.state).toMatchObject({ status: "succeeded", partial: true });
    expect(await world().result(job)).toMatchObject({ stopped_by: "max_tokens" });
    expect(world().models.heard.length).toBeLessThan(8);
  });

  it("takes them with it when it is cancelled, and finds them again after a restart", async () => {
    await world().open({ classes: models });
    world().models.script("m", { calls: [delegate("slow")] }, { text: "Done." });
    world().models.script("n", { hangs: true, text: "still" }, { text: "ready" });
    const { id } = await world().submit({});
    await until(() => world().models.requests("n").length === 1);
    const engine = await world().reopen();
    expect((await world().end(id)).state).toMatchObject({ status: "succeeded" });
    expect((await engine.list({ parent: id })).jobs).toHaveLength(1);

    world().models.script("m", { calls: [delegate("slow")] });
    world().models.script("n", { hangs: true, text: "still" });
    const second = await world().submit({});
    await until(() => world().models.requests("n").length === 3);
    await engine.cancel(second.id);
    expect((await world().end(second.id)).state.status).toBe("cancelled");
    const { jobs } = await engine.list({ parent: second.id });
    expect(jobs.map(({ state }) => state.status)).toEqual(["cancelled"]);
  });
});
