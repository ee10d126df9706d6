import { describe, expect, it } from "vitest";
import { until } from "../../until.ts";
import { isRunning, processesOf } from "../shell/world.ts";
import { call, toolResults, useAgents } from "./world.ts";

const world = useAgents();

describe("cancelling an agent", () => {
  it("ends a model's answer in its middle", async () => {
    const { models } = world();
    const engine = await world().open();
    models.script("m", { text: "I begin and never ", hangs: true });
    const { id } = await world().submit({});
    await until(async () => (await world().stream(id, "stdout")).includes("begin"));
    await engine.cancel(id, "enough");
    expect((await world().end(id)).state).toMatchObject({ status: "cancelled", reason: "enough" });
    await until(() => models.heard[0]?.isAborted === true);
    expect(models.heard).toHaveLength(1);
  });

  it("ends the command that it runs, and has not ended before that has", async () => {
    const { models } = world();
    const engine = await world().open();
    models.script("m", call("run_command", { command: "trap '' TERM; echo up > up; sleep 300" }), {
      text: "never",
    });
    const { id } = await world().submit({});
    await until(() => world().has("up"));
    const [child] = (await engine.list({ parent: id })).jobs;
    const pids = processesOf(child?.id ?? "");
    expect(pids.length).toBeGreaterThan(0);
    await engine.cancel(id);
    expect((await world().end(id)).state.status).toBe("cancelled");
    expect(pids.filter((pid) => isRunning(pid))).toEqual([]);
    expect((await engine.get(child?.id ?? "")).state.status).toBe("cancelled");
    expect(models.heard).toHaveLength(1);
  });

  it("ends the wait for a busy model", async () => {
    const { models } = world();
    const engine = await world().open();
    models.script("m", { status: 429, headers: { "retry-after": "600" } });
    const { id } = await world().submit({});
    await until(async () => (await world().activity(id)).some(({ type }) => type === "retry"));
    await engine.cancel(id);
    expect((await world().end(id)).state.status).toBe("cancelled");
  });
});

describe("an agent whose engine stops", () => {
  it("goes on with the next one from its last finished step, and its command is found again", async () => {
    const { models } = world();
    await world().open();
    models.script(
      "m",
      {
        calls: [
          { name: "write_file", input: { filePath: "a", content: "1" } },
          {
            name: "run_command",
            input: { command: "echo once >> log; while [ ! -e go ]; do sleep 0.05; done; echo went" },
          },
        ],
      },
      { text: "Finished." },
    );
    const { id } = await world().submit({});
    await until(() => world().has("log"));
    await world().reopen();
    world().write("go", "");
    const job = await world().end(id);
    expect(await world().result(job)).toMatchObject({ output: "Finished.", steps: 2, tool_calls: 2 });
    expect(models.heard).toHaveLength(2);
    expect(world().read("log")).toBe("once\n");
    expect(toolResults(models.heard[1]?.body ?? {})).toEqual(["Wrote 1 character to a.", "went\n[exit code 0]"]);
  });

  it("still waits for the answer to its question, and gets it", async () => {
    const { models } = world();
    await world().open();
    models.script("m", call("ask_user", { question: "Red or blue?", options: ["red", "blue"] }), { text: "Noted." });
    const { id } = await world().submit({});
    await until(async () => (await world().engine.get(id)).state.status === "waiting");
    const engine = await world().reopen();
    await until(async () => (await engine.get(id)).state.status === "waiting");
    const [asked] = await engine.questions(id);
    expect(asked?.question).toMatchObject({ message: "Red or blue?" });
    await expect(
      engine.answer(id, asked?.key ?? "", { action: "accept", content: { answer: "green" } }),
    ).rejects.toThrow("one of red, blue");
    await engine.answer(id, asked?.key ?? "", { action: "accept", content: { answer: "blue" } });
    await world().end(id);
    expect(models.heard).toHaveLength(2);
    expect(toolResults(models.heard[1]?.body ?? {})).toEqual(["blue"]);
  });
});
