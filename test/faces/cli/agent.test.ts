import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { JobView } from "../../../src/operations/job-view.ts";
import { FakeModels } from "../../kinds/agent/fake-models.ts";
import { call, toolResults } from "../../kinds/agent/world.ts";
import { until } from "../../until.ts";
import { makeSharedCli, type Done } from "./cli.ts";
import { runOnTerminal } from "./on-terminal.ts";

describe("longhaul agent", () => {
  const cli = makeSharedCli();
  const work = mkdtempSync(join(tmpdir(), "longhaul-cli-work-"));
  let models: FakeModels;
  let env: Record<string, string> = {};
  beforeAll(async () => {
    models = await FakeModels.open();
    env = { OPENAI_BASE_URL: models.url, OPENAI_API_KEY: "sk-key-of-the-cli-12345678" };
    writeFileSync(join(work, "notes.md"), "buy milk");
  });
  afterAll(async () => {
    await models.close();
    rmSync(work, { recursive: true });
  });
  const agent = (...words: string[]): Promise<Done> => cli.run(["agent", ...words], { env, cwd: work });

  it("without a key exits with 2 and names the flags and variables that help", async () => {
    const keyless = { OPENAI_BASE_URL: "", OPENAI_API_KEY: "", ANTHROPIC_API_KEY: "" };
    for (const words of [
      ["agent", "look"],
      ["agent", "--check"],
    ]) {
      const { code, stderr } = await cli.run(words, { env: keyless, cwd: work });
      expect(code).toBe(2);
      for (const word of ["ANTHROPIC_API_KEY", "OLLAMA_HOST", "--model PROVIDER/MODEL", "--backend claude-code|"]) {
        expect(stderr).toContain(word);
      }
    }
  });

  it("prints the answer and nothing else into a pipe", async () => {
    models.script("m", { text: "Let me see.", ...call("read_file", { filePath: "notes.md" }) }, { text: "Milk." });
    const done = await agent("--model", "openai/m", "--read-only", "--file", "notes.md", "what", "to buy?");
    expect(done).toMatchObject({ code: 0, stdout: "Milk.\n" });
    expect(models.heard[0]?.said).toContain("what to buy?");
    expect(models.heard[0]?.said).toContain("=== notes.md ===");
  });

  it("shows text and tools as they come on a terminal, and what was used", async () => {
    models.script("m", { text: "Let me see.", ...call("grep", { pattern: "milk" }) }, { text: "Milk." });
    const shown = await runOnTerminal(["agent", "--model", "openai/m", "look"], { home: cli.home, env });
    expect(shown).toMatch(/Let me see\.[^]*→ grep milk/);
    expect(shown).toMatch(/Milk\.[^]*✓.* succeeded after .*: openai\/m · 2 steps · 220 tokens/);
  });

  it("answers an agent's question from another terminal", async () => {
    models.script("m", call("ask_user", { question: "Tea or coffee?" }), ({ body }) => ({
      text: `${toolResults(body)[0]}!`,
    }));
    const { stdout } = await agent("-d", "--model", "openai/m", "serve");
    const id = stdout.trim();
    await until(async () => (await cli.json<JobView>(["show", id])).state === "waiting");
    models.script("gpt-6-luna", { text: "It asks for your taste." });
    expect(await cli.run(["show", id, "--summary"])).toMatchObject({ code: 0, stdout: "It asks for your taste.\n" });
    expect((await cli.run(["answer", id, "--text", "tea"])).code).toBe(0);
    expect((await cli.run(["wait", id])).code).toBe(0);
    expect(await cli.json(["show", id])).toMatchObject({ result: { output: "tea!" } });
  });

  it("asks several models, ends the others after the first, and compares", async () => {
    models.script("good", { text: "Forty-two." });
    models.script("bad", { status: 400, error: "no" });
    models.script("slow", { text: "hm ", hangs: true });
    const names = ["good", "bad", "slow"].flatMap((name) => ["--model", `openai/${name}`]);
    expect(await agent(...names, "answer")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("set read_only") as string,
    });
    const { code, stdout } = await agent(...names, "--read-only", "--first", "answer");
    expect(code).toBe(0);
    expect(stdout).toMatch(/succeeded {2}openai\/good · 1 step · 110 tokens\n {2}Forty-two\./);
    expect(stdout).toMatch(/failed {2}openai\/bad/);
    expect(stdout).toMatch(/cancelled {2}openai\/slow\n {2}another agent finished first/);
  });

  it("hands out data by a schema, and tests the models", async () => {
    writeFileSync(
      join(cli.home, "schema.json"),
      JSON.stringify({ type: "object", properties: { n: { type: "number" } } }),
    );
    models.script("m", call("submit_result", { n: 7 }));
    expect((await agent("--model", "openai/m", "--schema", join(cli.home, "schema.json"), "count")).stdout).toBe(
      '{\n  "n": 7\n}\n',
    );
    models.script("gpt-6-astra", { text: "OK" });
    models.script("gpt-6-sol", { text: "OK" });
    models.script("gpt-6-luna", { status: 401, error: "no access" });
    const { code, stdout } = await agent("--check");
    expect(code).toBe(1);
    expect(stdout).toMatch(/✓ openai\/gpt-6-sol \(vision, standard, .*\d+ ms/);
    expect(stdout).toMatch(/✗ openai\/gpt-6-luna .*HTTP 401/);
  });

  it("says what is missing", async () => {
    expect(await agent()).toMatchObject({ code: 2, stderr: expect.stringContaining("Say what to do") as string });
    expect(await agent("--max-cost", "lots", "x")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("--max-cost") as string,
    });
    expect(await agent("--model", "claude-x", "x")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("ANTHROPIC_API_KEY") as string,
    });
  });
});
