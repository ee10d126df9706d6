import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { describe, expect, it } from "vitest";
import { until } from "../../until.ts";
import { isRunning, processesOf } from "../shell/world.ts";
import { useAgents } from "./world.ts";

const world = useAgents();

/** Puts a program on the path of the commands that stands for the real one. */
async function install(name: string, script: string): Promise<void> {
  const bin = join(world().base, "bin");
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, name), `#!/bin/bash\nprintf '%s\\n' "$@" > "${world().base}/args"\n${script}\n`);
  chmodSync(join(bin, name), 0o755);
  await world().open({ env: { ...process.env, PATH: `${bin}${delimiter}${process.env["PATH"] ?? ""}` } });
}

const args = (): string[] => world().read("../args").trim().split("\n");

describe("an installed agent program", () => {
  it("does the work: Claude Code", async () => {
    await install(
      "claude",
      `prompt=$(cat)
echo '{"type":"system","subtype":"init"}'
echo '{"type":"assistant","message":{"content":[{"type":"text","text":"Looking."},{"type":"tool_use","name":"Read","input":{"file_path":"a"}}]}}'
echo 'not json'
echo '{"type":"result","subtype":"success","is_error":false,"result":"It said: '"\${prompt//$'\\n'/ }"'","total_cost_usd":0.25,"usage":{"input_tokens":10,"output_tokens":5,"cache_read_input_tokens":100}}'`,
    );
    const job = await world().run({ backend: "claude-code", task: "say hi", models: ["opus"], readOnly: true });
    expect(await world().result(job)).toEqual({
      ...{ output: "It said: ## Task  say hi", model: "claude-code/opus", steps: 1, tool_calls: 1 },
      ...{ tokens: { input: 110, output: 5, cached: 100, reasoning: 0 }, cost_usd: 0.25 },
    });
    expect(args()).toEqual(expect.arrayContaining(["-p", "stream-json", "opus", "--disallowedTools"]));
    expect(args().join(" ")).not.toContain("say hi");
    expect(await world().stream(job.id, "stdout")).toBe("Looking.\n");
    expect(await world().activity(job.id)).toMatchObject([{ type: "tool_start", tool: "Read" }]);
  });

  it("does the work: Codex, opencode and Gemini", async () => {
    await install(
      "codex",
      `cat > /dev/null
echo '{"type":"item.started","item":{"type":"command_execution","command":"ls"}}'
echo '{"type":"item.completed","item":{"type":"agent_message","text":"from codex"}}'
echo '{"type":"turn.completed","usage":{"input_tokens":7,"cached_input_tokens":2,"output_tokens":3}}'`,
    );
    const codex = await world().run({ backend: "codex" });
    expect(await world().result(codex)).toMatchObject({
      output: "from codex",
      tool_calls: 1,
      tokens: { input: 7, output: 3, cached: 2 },
    });
    expect(args()).toContain("workspace-write");
    await world().close();
    await install(
      "opencode",
      `cat > /dev/null
echo '{"type":"text","part":{"text":"from opencode"}}'
echo '{"type":"step_finish","part":{"cost":0.5,"tokens":{"input":4,"output":2}}}'`,
    );
    expect(await world().result(await world().run({ backend: "opencode" }))).toMatchObject({
      output: "from opencode",
      cost_usd: 0.5,
    });
    await world().close();
    await install(
      "gemini",
      `cat > /dev/null
echo 'Loaded cached credentials.'
printf '{\\n "response": "{\\\\"n\\\\": 7}",\\n "stats": {"models": {"g": {"tokens": {"prompt": 9, "candidates": 1, "cached": 0}}}}\\n}\\n'`,
    );
    const schema = { type: "object", properties: { n: { type: "number" } }, required: ["n"] };
    const gemini = await world().run({ backend: "gemini", outputSchema: schema });
    expect(await world().result(gemini)).toMatchObject({ data: { n: 7 }, tokens: { input: 9, output: 1 } });
  });

  it("that fails says why", async () => {
    await install(
      "codex",
      `cat > /dev/null; echo '{"type":"turn.failed","error":{"message":"usage limit reached"}}'; exit 1`,
    );
    expect((await world().run({ backend: "codex" })).state).toMatchObject({
      failure: { code: "program_failed", message: "codex did not finish the task: usage limit reached" },
    });
    await world().close();
    await install("claude", `echo "not logged in" >&2; exit 1`);
    expect((await world().run({ backend: "claude-code" })).state).toMatchObject({
      failure: { code: "program_failed", message: "claude did not finish the task: not logged in" },
    });
  });

  it("is found again after a restart, and ended with its job", async () => {
    await install(
      "codex",
      `cat > /dev/null; echo up >> "${world().root}/up"; while [ ! -e "${world().root}/go" ]; do sleep 0.05; done
echo '{"type":"item.completed","item":{"type":"agent_message","text":"late"}}'`,
    );
    const first = await world().submit({ backend: "codex" });
    await until(() => world().has("up"));
    await world().reopen();
    world().write("go", "");
    expect(await world().result(await world().end(first.id))).toMatchObject({ output: "late" });
    expect(world().read("up")).toBe("up\n");
    await world().close();
    await install("codex", "cat > /dev/null; sleep 300");
    const second = await world().submit({ backend: "codex" });
    const child = async (): Promise<string> => (await world().engine.list({ parent: second.id })).jobs[0]?.id ?? "none";
    await until(async () => processesOf(await child()).length > 0);
    const pids = processesOf(await child());
    await world().engine.cancel(second.id);
    expect((await world().end(second.id)).state.status).toBe("cancelled");
    await until(() => pids.every((pid) => !isRunning(pid)));
  });

  it("that is not installed is refused, and nothing is made", async () => {
    const engine = await world().open({ hasProgram: () => false });
    await expect(world().submit({ backend: "gemini" })).rejects.toThrow(
      'needs the program "gemini", which is not on the server\'s PATH',
    );
    expect((await engine.list()).jobs).toEqual([]);
  });
});
