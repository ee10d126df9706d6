import { describe, expect, it } from "vitest";
import type { AskedQuestion } from "../../../src/job/question.ts";
import { until } from "../../until.ts";
import { call, toolResults, useAgents } from "./world.ts";

const world = useAgents();
const edit = (oldText: string, newText: string): ReturnType<typeof call> =>
  call("edit_file", { filePath: "a.txt", oldText, newText });

/** The question that the job waits with. */
async function open(id: string, count = 1): Promise<AskedQuestion> {
  const questions = (): Promise<AskedQuestion[]> => world().engine.questions(id);
  await until(async () => (await questions()).length === count && (await questions()).at(-1)?.answer === undefined);
  return (await questions()).at(-1) as AskedQuestion;
}

async function say(id: string, question: AskedQuestion, content: Record<string, string>): Promise<void> {
  await world().engine.answer(id, question.key, { action: "accept", content });
}

const results = (): string[] => toolResults(world().models.heard.at(-1)?.body ?? {});

describe("an agent that is to ask before it changes something", () => {
  it("shows the change, and makes it once it may; after always it asks no more", async () => {
    await world().open();
    world().write("a.txt", "one two three\n");
    world().models.script(
      "m",
      edit("one", "1"),
      edit("two", "2"),
      edit("three", "3"),
      call("run_command", { command: "true" }),
      {
        text: "Done.",
      },
    );
    const { id } = await world().submit({ ask: "writes" });
    const first = await open(id);
    expect(first.question.message).toBe("The agent wants to change a file (edit_file):\na.txt\n-one\n+1");
    expect(world().read("a.txt")).toBe("one two three\n");
    await say(id, first, { answer: "yes" });
    await say(id, await open(id, 2), { answer: "always" });
    expect((await world().end(id)).state).toMatchObject({ status: "succeeded" });
    expect(world().read("a.txt")).toBe("1 2 3\n");
    expect(await world().engine.questions(id)).toHaveLength(2);
  });

  it("is told why not, and goes on", async () => {
    await world().open();
    world().models.script(
      "m",
      call("run_command", { command: "touch made" }),
      call("write_file", { filePath: "b.txt", content: "b" }),
      {
        text: "Without.",
      },
    );
    const { id } = await world().submit({ ask: "commands" });
    const question = await open(id);
    expect(question.question.message).toBe("The agent wants to run a command (run_command):\ntouch made");
    await say(id, question, { answer: "no", reason: "use write_file" });
    await world().end(id);
    expect(results()[0]).toBe("It was not done, because the person said no: use write_file");
    expect([world().has("made"), world().has("b.txt")]).toEqual([false, true]);
  });

  it("finds the answer that was given while the server was away, and does the thing once", async () => {
    await world().open();
    world().models.script("m", call("run_command", { command: "echo x >> log" }), { text: "Done." });
    const { id } = await world().submit({ ask: "all" });
    const question = await open(id);
    const engine = await world().reopen();
    await say(id, question, { answer: "yes" });
    expect((await world().end(id)).state).toMatchObject({ status: "succeeded" });
    expect(world().read("log")).toBe("x\n");
    expect(await engine.questions(id)).toHaveLength(1);
  });

  it("hides secrets in what it shows, and lets those to whom it hands on ask, too", async () => {
    await world().open({ secrets: ["hush-hush-hush"] });
    world().models.script(
      "m",
      { calls: [{ name: "delegate", input: { task: "part", model: "fake/n" } }] },
      { text: "Done." },
    );
    world().models.script("n", call("run_command", { command: "echo hush-hush-hush" }), { text: "Part." });
    const { id } = await world().submit({ ask: "all" });
    const children = async (): Promise<string[]> =>
      (await world().engine.list({ parent: id })).jobs.map((job) => job.id);
    await until(async () => (await children()).length === 1);
    const [child = ""] = await children();
    const question = await open(child);
    expect(question.question.message).not.toContain("hush-hush-hush");
    await world().engine.answer(child, question.key, { action: "decline" });
    expect((await world().end(id)).state).toMatchObject({ status: "succeeded" });
  });

  it("cannot be an installed program, which asks nobody", async () => {
    await world().open();
    await expect(world().submit({ ask: "writes", backend: "codex" })).rejects.toThrow("ask cannot be kept by codex");
  });
});
