import { describe, expect, it } from "vitest";
import { compact } from "../../../src/kinds/agent/compact.ts";
import { startConversation, type Conversation } from "../../../src/kinds/agent/conversation.ts";
import type { Heard, Say } from "./fake-models.ts";
import { call, useAgents } from "./world.ts";

const world = useAgents();

/** A model that refuses what has more characters than this, and follows its script otherwise. */
function limited(maxCharacters: number, script: readonly Say[]): (heard: Heard) => Say {
  let next = 0;
  return ({ body }) => {
    if (JSON.stringify(body).length > maxCharacters) {
      return { status: 400, error: "This model's maximum context length is 15000 tokens." };
    }
    const say = script[Math.min(next, script.length - 1)] as Say;
    next += 1;
    return say;
  };
}

interface SentMessage {
  readonly role: string;
  readonly content: string | null;
  readonly tool_calls?: readonly { readonly id: string }[];
  readonly tool_call_id?: string;
}

/** What every provider demands: the task first, no two users in a row, and after each call its answer. */
function expectValid({ body }: Heard): SentMessage[] {
  const [, ...messages] = body["messages"] as SentMessage[];
  expect(messages[0]?.role).toBe("user");
  expect(messages[0]?.content).toContain("THE TASK");
  let open: string[] = [];
  messages.forEach(({ role, tool_calls: calls = [], tool_call_id: answered }, index) => {
    if (role === "tool") {
      expect(open).toContain(answered);
      open = open.filter((id) => id !== answered);
      return;
    }
    expect(open).toEqual([]);
    if (index > 0) expect(role).not.toBe(messages[index - 1]?.role);
    open = calls.map(({ id }) => id);
  });
  expect(open).toEqual([]);
  return messages;
}

describe("a conversation that is too long for its model", () => {
  it("always gets room: two results of 11 kB in every step fit a limit of 60 kB", async () => {
    const { models } = world();
    world().write("a.txt", `${"a".repeat(99)}\n`.repeat(125));
    world().write("b.txt", `${"b".repeat(99)}\n`.repeat(125));
    await world().open();
    const reads = Array.from({ length: 20 }, (_, index) => ({
      calls: ["a.txt", "b.txt"].map((filePath) => ({ name: "read_file", input: { filePath, startLine: index + 1 } })),
    }));
    models.script("m", limited(60_000, [...reads, { text: "Done." }]));
    const job = await world().run({ task: "THE TASK" });
    expect(job.state).toMatchObject({ status: "succeeded" });
    expect(await world().result(job)).toMatchObject({ output: "Done.", steps: 21, tool_calls: 40 });
    const sent = models.heard.map(expectValid);
    // The newest results are whole, because there is room for them.
    expect(
      sent
        .at(-1)
        ?.slice(-2)
        .map(({ content }) => content?.length),
    ).toEqual([10_943, 10_943]);
    // What was done first is remembered after any number of cuts.
    expect(sent.at(-1)?.[0]?.content).toContain('You called read_file {"filePath":"a.txt","startLine":1}');
  });

  it.each([
    [
      "one step's own results",
      { calls: [1, 2, 3].map((startLine) => ({ name: "read_file", input: { filePath: "big.txt", startLine } })) },
    ],
    [
      "what the model itself has written",
      call("write_file", { filePath: "new.txt", content: "x23456789\n".repeat(9_000) }),
    ],
  ])("is cut even where %s are too much", async (_what, say) => {
    const { models } = world();
    world().write("big.txt", "0123456789\n".repeat(4_000));
    await world().open();
    models.script("m", limited(40_000, [call("list", {}), say, { text: "Done." }]));
    const job = await world().run({ task: "THE TASK" });
    expect(await world().result(job)).toMatchObject({ output: "Done.", steps: 3 });
    models.heard.forEach(expectValid);
  });

  it("is never cut in the middle of a character: providers refuse half of one", async () => {
    const { models } = world();
    for (const [name, start] of Object.entries({ even: "xx", odd: "x" }))
      world().write(name, `${start}${"😀".repeat(60_000)}`);
    await world().open();
    const calls = ["even", "odd"].map((filePath) => ({ name: "read_file", input: { filePath } }));
    models.script("m", limited(70_000, [{ calls }, { text: "Done." }]));
    const job = await world().run({ task: "THE TASK", files: ["even", "odd"], context: `c${"😀".repeat(60_000)}` });
    expect(await world().result(job)).toMatchObject({ output: "Done." });
    for (const { said } of models.heard) expect(said).not.toMatch(/\\ud[89a-f]/i);
  });

  it("keeps its task whole when context and files are cut", async () => {
    const { models } = world();
    world().write("big.txt", "0123456789\n".repeat(9_000));
    await world().open();
    models.script("m", limited(40_000, [{ text: "Done." }]));
    const task = `THE TASK ${"is long ".repeat(500)}and ends here.`;
    const job = await world().run({ task, context: "c".repeat(90_000), output: "THE OUTPUT", files: ["big.txt"] });
    expect(await world().result(job)).toMatchObject({ output: "Done." });
    const [prompt] = expectValid(models.heard.at(-1) as Heard);
    expect(prompt?.content).toContain(task);
    expect(prompt?.content).toContain("THE OUTPUT");
  });

  it("keeps calls and answers together in the format of Anthropic's models, which thought meanwhile", async () => {
    const { models } = world();
    world().write("big.txt", "0123456789\n".repeat(2_000));
    await world().open();
    const reads = Array.from({ length: 6 }, (_, index) => ({
      thinks: "t".repeat(3_000),
      ...call("read_file", { filePath: "big.txt", startLine: index + 1 }),
    }));
    models.script("claude-x", limited(50_000, [...reads, { text: "Done." }]));
    const job = await world().run({ task: "THE TASK", model: "claude-x" });
    expect(await world().result(job)).toMatchObject({ output: "Done.", steps: 7 });
    for (const { body } of models.heard) {
      const messages = body["messages"] as {
        role: string;
        content: { type: string; id?: string; tool_use_id?: string }[];
      }[];
      messages.forEach(({ role, content }, index) => {
        expect(role).toBe(index % 2 === 0 ? "user" : "assistant");
        const called = content.filter(({ type }) => type === "tool_use").map(({ id }) => id);
        if (called.length === 0) return;
        expect(messages[index + 1]?.content.map(({ tool_use_id: id }) => id)).toEqual(called);
      });
    }
  });
});

describe("making a conversation shorter", () => {
  const size = ({ messages }: Conversation): number => JSON.stringify(messages).length;

  it("halves it as long as anything is left, and says when nothing is", () => {
    const conversation = startConversation("", {
      background: "b".repeat(50_000),
      goal: `THE TASK ${"g".repeat(9_000)}`,
    });
    for (let step = 0; step < 300; step++) {
      const toolCallId = `call-${step}`;
      const content = "x".repeat((step * 7_919) % 30_000);
      conversation.messages.push(
        {
          role: "assistant",
          content: [
            { type: "reasoning", text: "r".repeat(1_000) },
            { type: "text", text: `I decide ${step}.` },
            { type: "tool-call", toolCallId, toolName: "write_file", input: { filePath: `f${step}`, content } },
          ],
        },
        {
          role: "tool",
          content: [
            { type: "tool-result", toolCallId, toolName: "write_file", output: { type: "text", value: `${content}.` } },
          ],
        },
      );
    }
    let before = size(conversation);
    let rounds = 0;
    while (compact(conversation)) {
      const after = size(conversation);
      if (before > 30_000) expect(after).toBeLessThanOrEqual(before / 2);
      expect(JSON.stringify(conversation.messages[0])).toContain("THE TASK");
      expect(JSON.stringify(conversation.messages.at(-1))).toContain("call-299");
      before = after;
      rounds += 1;
    }
    expect(rounds).toBeLessThan(30);
    expect(size(conversation)).toBeLessThan(8_000);
    expect(JSON.stringify(conversation.messages[0])).toContain("I decide 0.");
  });

  it("has nothing to cut in a short one", () => {
    expect(compact(startConversation("", { background: "", goal: "THE TASK" }))).toBe(false);
  });

  it("is summed up by the model itself, which then goes on with what it wrote down", async () => {
    const { models } = world();
    world().write("a.txt", `${"a".repeat(99)}\n`.repeat(125));
    await world().open({ compaction: "model" });
    const isSummary = ({ said, body }: Heard): boolean => body["tools"] === undefined && said.includes("What happened");
    let summaries = 0;
    let steps = 0;
    models.script("m", (heard) => {
      if (isSummary(heard)) return { text: `Goal: THE TASK. Summary ${++summaries}.`, usage: { input: 7, output: 3 } };
      if (heard.said.length > 60_000) return { status: 400, error: "prompt is too long" };
      return ++steps > 12 ? { text: "Done." } : call("read_file", { filePath: "a.txt", startLine: steps });
    });
    const job = await world().run({ task: "THE TASK" });
    expect(await world().result(job)).toMatchObject({ output: "Done.", steps: 13 });
    expect(summaries).toBeGreaterThan(0);
    const asked = models.heard.find(isSummary);
    // It was told all of what was to be summed up, the summary before it included.
    expect(asked?.said).toContain('\\"startLine\\":1}');
    const last = models.heard.at(-1)?.said ?? "";
    expect(last).toContain(`Summary ${summaries}.`);
    const events = (await world().activity(job.id)).filter(({ type }) => type === "compacted");
    expect(events.map(({ by }) => by)).toEqual(Array.from({ length: summaries }, () => "model"));
    // What it cost counts.
    expect((await world().result(job)).tokens.output).toBe(13 * 10 + summaries * 3);
  });

  it("is cut by rules where the model cannot sum it up", async () => {
    const { models } = world();
    world().write("a.txt", `${"a".repeat(99)}\n`.repeat(125));
    await world().open({ compaction: "model" });
    let steps = 0;
    models.script("m", (heard) => {
      if (heard.body["tools"] === undefined) return { status: 400, error: "no" };
      if (heard.said.length > 60_000) return { status: 400, error: "prompt is too long" };
      return ++steps > 12 ? { text: "Done." } : call("read_file", { filePath: "a.txt", startLine: steps });
    });
    const job = await world().run();
    expect(await world().result(job)).toMatchObject({ output: "Done.", steps: 13 });
    const types = (await world().activity(job.id)).filter(
      ({ type }) => type === "not_compacted" || type === "compacted",
    );
    expect(types[0]).toMatchObject({ type: "not_compacted" });
    expect(types[1]).toMatchObject({ type: "compacted", by: "rules" });
  });
});
