import { describe, expect, it } from "vitest";
import { until } from "../../until.ts";
import { call, toolResults, useAgents } from "./world.ts";

const world = useAgents();

const key = "plain-words-that-are-the-key-4711";
const value = "correct horse battery";
const pem = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC";

/** All that anybody can see of an agent job. */
async function shown(id: string): Promise<string> {
  const { engine } = world();
  const seen = await Promise.all([
    engine.get(id),
    engine.list(),
    engine.events(id),
    engine.input(id),
    engine.questions(id),
    world().stream(id, "stdout"),
    world().stream(id, "activity"),
    engine.result(id).catch(() => null),
  ]);
  return JSON.stringify(seen);
}

function expectHidden(text: string): void {
  for (const secret of [key, value, pem, "hunter22"]) expect(text).not.toContain(secret);
  expect(text).toContain("[redacted]");
}

describe("secrets of an agent", () => {
  it("in secret files stay hidden, whoever prints them: a command, the model's text, its calls, questions and results", async () => {
    const { models } = world();
    world().write(".env", `TOKEN="${value}"\nNODE_ENV=production\nDB=postgres://ann:hunter22@db/x\n`);
    world().write("deep/er/key.pem", `-----BEGIN PRIVATE KEY-----\n${pem}\n-----END PRIVATE KEY-----\n`);
    const engine = await world().open({ secrets: [key] });
    const all = `${key}, ${value}, ${pem} and hunter22`;
    models.script(
      "m",
      call("run_command", { command: "cat .env deep/er/key.pem; exit 3" }),
      { text: `I know ${all}, in production.`, ...call("grep", { pattern: all }) },
      call("todo_list", { items: [{ content: all, status: "pending" }] }),
      call("ask_user", { question: `Is it ${all}?`, options: [value, "no"] }),
      { text: `So it is ${all}.`, ...call("submit_result", { said: [all] }) },
    );
    const { id } = await world().submit({ output_schema: { type: "object" } });
    await until(async () => (await engine.get(id)).state.status === "waiting");
    expectHidden(await shown(id));
    expectHidden(JSON.stringify(await engine.inspect(id)));
    const [asked] = await engine.questions(id);
    await engine.answer(id, asked?.key ?? "", { action: "accept", content: { answer: "no" } });
    const job = await world().end(id);
    expect(await world().result(job)).toMatchObject({
      output: "So it is [redacted], [redacted], [redacted] and [redacted].",
      data: { said: ["[redacted], [redacted], [redacted] and [redacted]"] },
    });
    expectHidden(await shown(id));
    // What stands in a secret file but gives nothing away stays legible.
    expect(await world().stream(id, "stdout")).toContain(
      "I know [redacted], [redacted], [redacted] and [redacted], in production.",
    );
    const [printed] = toolResults(models.heard[1]?.body ?? {});
    expectHidden(printed ?? "");
    expect(printed).toContain("NODE_ENV=production");
  });

  it("that a command makes are hidden from then on, and still after it has removed them", async () => {
    const { models } = world();
    await world().open();
    models.script(
      "m",
      call("run_command", { command: `echo 'TOKEN="${value}"' > .env; cat .env` }),
      call("run_command", { command: `rm .env; echo ${value.split(" ").join("' '")}` }),
      { text: `It was ${value}.` },
    );
    const job = await world().run();
    expect(await world().result(job)).toMatchObject({ output: "It was [redacted]." });
    expect(toolResults(models.heard[2]?.body ?? {})).toEqual([
      'TOKEN="[redacted]"\n[exit code 0]',
      "[redacted]\n[exit code 0]",
    ]);
  });

  it("of a file that is named by its path outside of the folder are hidden, too", async () => {
    const { models } = world();
    world().write("../vault.txt", `${pem}\n`);
    await world().open({ secretFiles: [`${world().base}/vault.txt`] });
    models.script("m", call("run_command", { command: "cat ../vault.txt" }), { text: "ok" });
    await world().run();
    expect(toolResults(models.heard[1]?.body ?? {})).toEqual(["[redacted]\n[exit code 0]"]);
  });

  it("are hidden when a provider quotes them, in its error and in the tries before", async () => {
    const { models } = world();
    await world().open({ secrets: [key] });
    models.script(
      "m",
      { status: 500, error: `cannot use ${key}` },
      { status: 401, error: `Incorrect API key: ${key}` },
    );
    const job = await world().run({ context: `use ${key}` });
    expect(job.state).toMatchObject({ status: "failed", failure: { code: "model_refused" } });
    const text = await shown(job.id);
    expect(text).not.toContain(key);
    expect(text).toContain("Incorrect API key: [redacted]");
    expect(text).toContain("cannot use [redacted]");
  });
});
