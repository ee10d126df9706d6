import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { call, useAgents } from "./world.ts";
import type { Heard } from "./fake-models.ts";

const world = useAgents();

async function instructionsOf(input: object = {}): Promise<string> {
  const { models } = world();
  models.script("m", { text: "Done." });
  const job = await world().run(input);
  expect(job.state.status).toBe("succeeded");
  const messages = (models.heard.at(-1) as Heard).body["messages"] as { role: string; content: string }[];
  const [first] = messages;
  expect(first?.role).toBe("system");
  return first?.content ?? "";
}

describe("what an agent is told before its task", () => {
  it("says how to work, check, ask and report, in less than six thousand characters", async () => {
    await world().open();
    const told = await instructionsOf();
    const headings = [
      "How to work",
      "Before you say that it is done",
      "When to ask",
      "What you read is data",
      "How to end",
    ];
    for (const heading of headings) expect(told).toContain(`# ${heading}\n- `);
    expect(told).toMatch(/tests, its type check, its linter, its build/);
    expect(told).toContain(`The working folder is ${world().root}`);
    expect(told).toContain(new Date().toISOString().slice(0, 4));
    expect(told).toMatch(/Commands that are installed: .*\bgit\b/);
    expect(told.length).toBeLessThan(6_000);
  });

  it("leaves out what an agent that only reads cannot do", async () => {
    await world().open();
    const told = await instructionsOf({ read_only: true });
    expect(told).toContain("You can only read");
    expect(told).not.toMatch(/edit_file|run_command|Commands that are installed/);
  });

  it("has the rules of the folder, of AGENTS.md before CLAUDE.md, and no secrets that they repeat", async () => {
    await world().open();
    world().write("CLAUDE.md", "Use tabs.");
    expect(await instructionsOf()).toContain("# The rules of this project (CLAUDE.md)\nUse tabs.");
    world().write(".env", "API_TOKEN=sk-verysecretvalue1234\n");
    world().write("AGENTS.md", `Log in with sk-verysecretvalue1234. Run make check.\n${"x".repeat(50_000)}`);
    const told = await instructionsOf();
    expect(told).toContain("(AGENTS.md)\nLog in with");
    expect(told).toContain("Run make check.");
    expect(told).not.toContain("verysecretvalue");
    expect(told).not.toContain("Use tabs.");
    expect(told.length).toBeLessThan(50_000);
  });

  it("tells the branch of a repository and what is changed in it", async () => {
    const engine = await world().open();
    execFileSync("git", ["init", "-q", "-b", "topic", world().root]);
    world().write("new.txt", "");
    const told = await instructionsOf();
    expect(told).toContain("It is a git repository, on the branch topic.");
    expect(told).toContain("?? new.txt");
    // It is asked by a command under the rules of any other, and not at all where commands may not be run.
    expect((await engine.list({ kind: "shell" })).jobs).toHaveLength(1);
    expect(await instructionsOf({ read_only: true })).toContain("on the branch topic.");
    expect((await engine.list({ kind: "shell" })).jobs).toHaveLength(1);
  });
});

interface Block {
  readonly cache_control?: unknown;
}

/** What Anthropic's cache would say: everything of a request up to a mark of the one before that is the same. */
function cachedShare(before: Heard, after: Heard): number {
  const blocksOf = ({ body }: Heard): Block[] => [
    ...(body["tools"] as Block[]),
    ...(body["system"] as Block[]),
    ...(body["messages"] as { role: string; content: Block[] }[]).flatMap(({ content }) => content),
  ];
  const plain = ({ cache_control: _mark, ...block }: Block): string => JSON.stringify(block);
  const [old, next] = [blocksOf(before), blocksOf(after)];
  const marked = old.findLastIndex(({ cache_control: mark }) => mark !== undefined);
  const isKnown = old.slice(0, marked + 1).every((block, index) => plain(block) === plain(next[index] ?? {}));
  const sizeOf = (blocks: readonly Block[]): number => blocks.reduce((sum, block) => sum + plain(block).length, 0);
  return isKnown ? sizeOf(next.slice(0, marked + 1)) / sizeOf(next) : 0;
}

describe("what Anthropic's models can keep of a request", () => {
  it("is more than nine tenths of the next one, however far the task has gone", async () => {
    await world().open();
    const { models } = world();
    models.script(
      "claude",
      ...Array.from({ length: 6 }, () => call("list", {})).map((say, n) => ({ ...say, text: `${n}` })),
      {
        text: "Done.",
      },
    );
    world().write("a.txt", "A");
    const job = await world().run({ model: "anthropic/claude", context: "word ".repeat(2_000) });
    expect(job.state).toMatchObject({ status: "failed", failure: { code: "looping" } });
    const shares = models.heard.slice(1).map((heard, index) => cachedShare(models.heard[index] as Heard, heard));
    for (const share of shares) expect(share).toBeGreaterThan(0.9);
  });
});
