import { describe, expect, it } from "vitest";
import { makeSharedCli } from "./cli.ts";
import { runOnTerminal } from "./on-terminal.ts";

const cli = makeSharedCli();
const escape = "\u001b";

const onTerminal = (words: readonly string[], env: Record<string, string> = {}): Promise<string> =>
  runOnTerminal(words, { home: cli.home, env });

describe("in a pipe", () => {
  it("there are no escape codes and nothing is cut", async () => {
    const long = `true ${"x".repeat(150)}`;
    await cli.run(["run", "-d", "--name", "good", "--", long]);
    await cli.run(["run", "-d", "--name", "bad", "--", "exit 3"]);
    for (const words of [
      ["ps"],
      ["show", "bad"],
      ["wait", "bad"],
      ["events", "bad"],
      ["server", "status"],
      ["doctor"],
    ]) {
      const { stdout, stderr } = await cli.run(words);
      expect(stdout + stderr).not.toContain(escape);
    }
    expect((await cli.run(["ps"])).stdout).toContain(long);
  });

  it("colours come if they are forced", async () => {
    expect((await cli.run(["ps"], { env: { FORCE_COLOR: "1" } })).stdout).toContain(escape);
  });
});

describe("on a terminal", () => {
  it("tables are coloured and fit the width", async () => {
    await cli.run(["run", "-d", "--", `true ${"y".repeat(150)}`]);
    const shown = await onTerminal(["ps"]);
    expect(shown).toContain(`${escape}[`);
    // oxlint-disable-next-line no-control-regex
    const lines = shown.replaceAll(/\u001b\[[0-9;]*m/g, "").split("\r\n");
    expect(Math.max(...lines.map((line) => line.length))).toBe(60);
    expect(lines.some((line) => line.endsWith("y…"))).toBe(true);
  });

  it("NO_COLOR takes the colours away", async () => {
    expect(await onTerminal(["ps"], { NO_COLOR: "1" })).not.toContain(`${escape}[`);
  });

  it("run shows in a live line that a silent job runs, and how it ended", async () => {
    const shown = await onTerminal(["run", "--", "echo begin; sleep 2.5; echo end"]);
    expect(shown).toMatch(/begin\r\n[^\n]*running [12]/);
    expect(shown).toContain(`\r${escape}[2K`);
    expect(shown).toMatch(/end\r\n.*✓.* succeeded after [2-9]/s);
  });

  it("wait shows in a live line the last line of output", async () => {
    const id = await cli.detach("echo 'halfway there'; sleep 4");
    expect(await onTerminal(["wait", id])).toMatch(/running [1-4][^\n]* · halfway there/);
  });

  it("names and commands cannot move the cursor or colour the table", async () => {
    await cli.run(["run", "-d", "--name", `evil${escape}[2J`, "--", `echo '${escape}]0;title\u0007'`]);
    const shown = await onTerminal(["ps"], { NO_COLOR: "1" });
    expect(shown).toContain("evil\\e[2J");
    expect(shown).not.toContain(escape);
  });
});
