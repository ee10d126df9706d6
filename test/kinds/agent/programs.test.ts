import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { describe, expect, it } from "vitest";
import type { JobId } from "../../../src/index.ts";
import { until } from "../../until.ts";
import { isRunning, killIfThere, processesOf } from "../shell/world.ts";
import { useAgents, type AgentOptions } from "./world.ts";

const world = useAgents();

/**
 * Puts a program on the path of the commands that stands for the real one. It notes its arguments and its input, one file for
 * each time that it is started; `$n` says which time that is.
 */
async function install(name: string, script: string, options: AgentOptions = {}): Promise<void> {
  const bin = join(world().base, "bin");
  mkdirSync(bin, { recursive: true });
  const head = `#!/bin/bash
cd "${world().base}"; n=1; while [ -e "args$n" ]; do n=$((n + 1)); done
printf '%s\\n' "$@" > "args$n"; cat > "input$n"; cd "${world().root}"`;
  writeFileSync(join(bin, name), `${head}\n${script}\n`);
  chmodSync(join(bin, name), 0o755);
  const env = { ...process.env, PATH: `${bin}${delimiter}${process.env["PATH"] ?? ""}` };
  await world().open({ env, ...options });
}

/** Prints an event as a line of JSON. */
const say = (event: object): string => `cat <<'END'\n${JSON.stringify(event)}\nEND`;
const waitFor = (file: string): string => `while [ ! -e ${file} ]; do sleep 0.05; done`;
const args = (time = 1): string[] => world().read(`../args${time}`).trim().split("\n");
const given = (time = 1): string => world().read(`../input${time}`);
const childOf = async (id: JobId): Promise<string> => (await world().engine.list({ parent: id })).jobs[0]?.id ?? "none";

/** Neither the command nor whoever could tell of its end is left. */
async function cutPower(child: string): Promise<void> {
  const { pid } = (await world().engine.inspect(child)) as { pid: number };
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const starter = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
  await world().close();
  killIfThere(starter, "SIGKILL");
  await until(() => {
    const left = processesOf(child);
    for (const each of left) killIfThere(each, "SIGKILL");
    return left.length === 0 && !isRunning(starter);
  });
  await world().reopen();
}

const claude = {
  init: say({ type: "system", subtype: "init", session_id: "c-1" }),
  message: (id: string, content: object[], output = 5): string =>
    say({
      type: "assistant",
      session_id: "c-1",
      message: { id, content, usage: { input_tokens: 10, cache_read_input_tokens: 100, output_tokens: output } },
    }),
  result: (more: object): string =>
    say({ type: "result", subtype: "success", is_error: false, session_id: "c-1", total_cost_usd: 0.25, ...more }),
};

describe("an installed agent program", () => {
  it("does the work: Claude Code", async () => {
    await install(
      "claude",
      [
        claude.init,
        claude.message("m1", [{ type: "text", text: "Looking." }]),
        claude.message("m1", [{ type: "tool_use", name: "Read", input: { file_path: "a" } }], 9),
        "echo 'not json'",
        claude.message("m2", [{ type: "text", text: "Done." }]),
        claude.result({
          result: "It is done.",
          usage: { input_tokens: 30, output_tokens: 20, cache_read_input_tokens: 200 },
        }),
      ].join("\n"),
    );
    const job = await world().run({
      backend: "claude-code",
      task: "say hi",
      model: "opus",
      read_only: true,
      max_steps: 7,
    });
    expect(await world().result(job)).toEqual({
      output: "It is done.",
      model: "claude-code/opus",
      steps: 2,
      tool_calls: 1,
      tokens: { input: 230, output: 20, cached: 200, reasoning: 0 },
      cost_usd: 0.25,
    });
    const reading = "Read,Glob,Grep,WebFetch,WebSearch,TodoWrite";
    expect(args()).toEqual([
      "-p",
      "--output-format",
      "stream-json",
      "--verbose",
      "--model",
      "opus",
      "--max-turns",
      "7",
      "--tools",
      reading,
      "--allowedTools",
      reading,
      "--disallowedTools",
      "Bash,Edit,Write,MultiEdit,NotebookEdit",
      "--strict-mcp-config",
    ]);
    expect(given()).toBe("## Task\n\nsay hi");
    expect(await world().stream(job.id, "stdout")).toBe("Looking.\nDone.\n");
    expect(await world().activity(job.id)).toMatchObject([
      { type: "step", step: 1 },
      { type: "tool_start", tool: "Read", arguments: '{"file_path":"a"}' },
      { type: "step", step: 2 },
    ]);
  });

  it("does the work: Codex", async () => {
    await install(
      "codex",
      [
        say({ type: "thread.started", thread_id: "t-1" }),
        say({
          type: "item.started",
          item: { id: "i1", type: "command_execution", command: "ls", status: "in_progress" },
        }),
        say({ type: "error", message: "Reconnecting... 1/5" }),
        say({ type: "item.completed", item: { id: "i2", type: "reasoning", text: "hm" } }),
        say({ type: "item.completed", item: { id: "i3", type: "agent_message", text: "from codex" } }),
        say({ type: "turn.completed", usage: { input_tokens: 7, cached_input_tokens: 2, output_tokens: 3 } }),
      ].join("\n"),
    );
    expect(await world().result(await world().run({ backend: "codex" }))).toEqual({
      output: "from codex",
      model: "codex",
      steps: 1,
      tool_calls: 1,
      tokens: { input: 7, output: 3, cached: 2, reasoning: 0 },
    });
    expect(args()).toEqual(["exec", "--json", "--skip-git-repo-check", "--sandbox", "workspace-write", "-"]);
    await world().run({ backend: "codex", read_only: true });
    expect(args(2)).toContain("read-only");
  });

  it("does the work: opencode", async () => {
    const step = (id: string): string =>
      say({
        type: "step_finish",
        sessionID: "s-1",
        part: {
          id,
          type: "step-finish",
          cost: 0.5,
          tokens: { input: 4, output: 2, reasoning: 0, cache: { read: 10, write: 1 } },
        },
      });
    await install(
      "opencode",
      [
        'echo "$OPENCODE_CONFIG_CONTENT" > ../config',
        say({ type: "step_start", sessionID: "s-1", part: { id: "p0", type: "step-start" } }),
        say({
          type: "tool_use",
          sessionID: "s-1",
          part: { tool: "grep", state: { status: "completed", input: { pattern: "x" } } },
        }),
        step("p1"),
        say({ type: "text", sessionID: "s-1", part: { text: "from opencode" } }),
        step("p2"),
      ].join("\n"),
    );
    expect(await world().result(await world().run({ backend: "opencode", read_only: true }))).toEqual({
      output: "from opencode",
      model: "opencode",
      steps: 2,
      tool_calls: 1,
      cost_usd: 1,
      tokens: { input: 30, output: 4, cached: 20, reasoning: 0 },
    });
    expect(args()).toEqual(["run", "--format", "json", "--agent", "longhaul-reader"]);
    const { agent } = JSON.parse(world().read("../config")) as { agent: Record<string, { permission: object }> };
    expect(agent["longhaul-reader"]?.permission).toMatchObject({ "*": "deny", read: "allow" });
    await world().run({ backend: "opencode" });
    expect(args(2)).toContain("build");
    expect(world().read("../config").trim()).toBe("");
  });

  it("does the work: Gemini CLI", async () => {
    await install(
      "gemini",
      [
        '[ -z "$6" ] || cp "$6" ../rules',
        "echo 'Loaded cached credentials.'",
        say({ type: "init", session_id: "g-1", model: "gemini-3.8-flash" }),
        say({ type: "message", role: "user", content: "the prompt" }),
        say({ type: "message", role: "assistant", content: "I look.", delta: true }),
        say({ type: "tool_use", tool_name: "read_file", tool_id: "1", parameters: { path: "a" } }),
        say({ type: "tool_result", tool_id: "1", status: "success", output: "x" }),
        say({ type: "message", role: "assistant", content: '{"n": ', delta: true }),
        say({ type: "message", role: "assistant", content: "7}", delta: true }),
        say({
          type: "result",
          status: "success",
          stats: { total_tokens: 10, input_tokens: 9, output_tokens: 1, cached: 4 },
        }),
      ].join("\n"),
    );
    const outputSchema = { type: "object", properties: { n: { type: "number" } }, required: ["n"] };
    const job = await world().run({ backend: "gemini", output_schema: outputSchema, read_only: true });
    expect(await world().result(job)).toEqual({
      output: '{"n": 7}',
      data: { n: 7 },
      model: "gemini",
      steps: 1,
      tool_calls: 1,
      tokens: { input: 9, output: 1, cached: 4, reasoning: 0 },
    });
    expect(await world().stream(job.id, "stdout")).toBe('I look.\n{"n": 7}\n');
    expect(args().slice(0, 5)).toEqual(["--output-format", "stream-json", "--approval-mode", "default", "--policy"]);
    expect(world().read("../rules")).toMatch(/toolName = "\*"\ndecision = "deny"/);
    expect(existsSync(args()[5] ?? "")).toBe(false);
    await world().run({ backend: "gemini", output_schema: outputSchema });
    expect(args(2)).toEqual(["--output-format", "stream-json", "--approval-mode", "yolo"]);
  });

  it("that fails says why, without its secrets", async () => {
    const fail = say({ type: "turn.failed", error: { message: "usage limit of key-1234-secret reached" } });
    await install("codex", `${fail}; exit 1`, { secrets: ["key-1234-secret"] });
    expect((await world().run({ backend: "codex" })).state).toMatchObject({
      failure: { code: "program_failed", message: "codex did not finish the task: usage limit of [redacted] reached" },
    });
    await world().close();
    await install("claude", `echo "not logged in" >&2; exit 1`);
    expect((await world().run({ backend: "claude-code" })).state).toMatchObject({
      failure: { code: "program_failed", message: "claude did not finish the task: not logged in" },
    });
  });

  it("shows the same live facts as an agent of our own, and can be summed up", async () => {
    const script = [
      claude.init,
      claude.message("m1", [{ type: "tool_use", name: "Read", input: {} }]),
      waitFor("go"),
      claude.result({ result: "ok" }),
    ];
    await install("claude", script.join("\n"), {
      classes: { summary: "fake/s" },
      prices: { "fake/s": { input: 1_000, output: 1_000 } },
    });
    const { models, engine } = world();
    models.script("s", { text: "It reads." });
    const { id } = await world().submit({ backend: "claude-code" });
    await until(async () => (await engine.inspect(id))["steps"] === 1);
    expect(await engine.inspect(id)).toMatchObject({ model: "claude-code", steps: 1, tool_calls: 1, tokens: 115 });
    expect(await engine.summarize(id)).toBe("It reads.");
    expect(models.heard[0]?.said).toContain("It called Read");
    await until(async () => {
      const { state } = await engine.get(id);
      return "progress" in state && state.progress?.message?.includes("Read") === true;
    });
    world().write("go", "");
    expect(await world().result(await world().end(id))).toMatchObject({
      output: "ok",
      tokens: { input: 210 },
      cost_usd: 0.36,
    });
  });
});

describe("a limit of an installed program", () => {
  const step = (id: string): string =>
    [
      say({ type: "step_start", part: {} }),
      say({ type: "text", part: { text: `Part ${id}.` } }),
      say({ type: "step_finish", part: { id, cost: 0.5, tokens: { input: 90, output: 10 } } }),
    ].join("\n");

  it.each([
    [{ max_steps: 2 }, "max_steps"],
    [{ max_tokens: 150 }, "max_tokens"],
    [{ max_cost_usd: 0.7 }, "max_cost_usd"],
  ] as const)("of %o ends it with what it has, before its next step", async (limits, stoppedBy) => {
    await install("opencode", [step("1"), step("2"), say({ type: "step_start", part: {} }), "sleep 300"].join("\n"));
    const { id } = await world().submit({ backend: "opencode", ...limits });
    const job = await world().end(id);
    expect(job.state).toMatchObject({ status: "succeeded", partial: true });
    expect(await world().result(job)).toMatchObject({
      output: "Part 2.",
      stopped_by: stoppedBy,
      steps: 2,
      cost_usd: 1,
    });
    expect((await world().engine.get(await childOf(id))).state.status).toBe("cancelled");
  });

  it("that it is told itself ends it in part, too", async () => {
    const end = claude.result({ subtype: "error_max_budget_usd", is_error: true });
    await install("claude", [claude.message("m1", [{ type: "text", text: "Half." }]), end, "exit 1"].join("\n"));
    const job = await world().run({ backend: "claude-code", max_cost_usd: 0.2 });
    expect(args().join(" ")).toContain("--max-budget-usd 0.2");
    expect(job.state).toMatchObject({ status: "succeeded", partial: true });
    expect(await world().result(job)).toMatchObject({ output: "Half.", stopped_by: "max_cost_usd" });
  });

  it("that cannot be kept is refused; its time always can be limited", async () => {
    await install("codex", "sleep 300");
    await expect(world().submit({ backend: "codex", max_tokens: 5 })).rejects.toThrow(
      "cannot be enforced: codex does not say",
    );
    const { id } = await world().submit({ backend: "codex" }, { limits: { runMs: 500 } });
    expect((await world().end(id)).state).toMatchObject({ status: "timed_out" });
    expect(processesOf(await childOf(id))).toEqual([]);
  });
});

describe("an installed program whose server goes away", () => {
  it("is found again, and nothing that it told is told twice", async () => {
    await install(
      "claude",
      [
        claude.init,
        claude.message("m1", [{ type: "text", text: "First." }]),
        "echo up >> up",
        waitFor("go"),
        claude.message("m2", [{ type: "text", text: "Second." }]),
        claude.result({ result: "late" }),
      ].join("\n"),
    );
    const { id } = await world().submit({ backend: "claude-code" });
    await until(async () => (await world().engine.inspect(id))["steps"] === 1 && world().has("up"));
    await world().reopen();
    world().write("go", "");
    const job = await world().end(id);
    expect(await world().result(job)).toMatchObject({ output: "late", steps: 2 });
    expect(await world().stream(id, "stdout")).toBe("First.\nSecond.\n");
    expect(world().read("up")).toBe("up\n");
  });

  it("goes on in its own conversation when it is gone as well, and when its job is retried by hand", async () => {
    await install(
      "codex",
      `${say({ type: "thread.started", thread_id: "t-1" })}
if [ $n = 1 ]; then touch up; sleep 300; fi
if [ $n = 2 ]; then ${say({ type: "turn.failed", error: { message: "usage limit" } })}
exit 1; fi
${say({ type: "item.completed", item: { type: "agent_message", text: "at last" } })}`,
    );
    const { id } = await world().submit({ backend: "codex", task: "THE TASK" });
    await until(async () => world().has("up") && processesOf(await childOf(id)).length > 0);
    const child = await childOf(id);
    await until(async () => (await world().engine.readOutput(child, { stream: "stdout" })).bytes.length > 0);
    await cutPower(child);
    expect((await world().end(id)).state).toMatchObject({
      status: "failed",
      failure: { message: expect.stringContaining("usage limit") as string },
    });
    expect(given(1)).toContain("THE TASK");
    expect(args(2)).toEqual([
      "exec",
      "--json",
      "--skip-git-repo-check",
      "--sandbox",
      "workspace-write",
      "resume",
      "t-1",
      "-",
    ]);
    expect(given(2)).toBe("You were interrupted. Go on with the task, and finish it.");
    await world().engine.retry(id);
    expect(await world().result(await world().end(id))).toMatchObject({ output: "at last" });
    expect(args(3)).toContain("t-1");
  });

  it.each([
    ["claude-code", "claude", claude.init, ["--resume", "c-1"]],
    ["opencode", "opencode", say({ type: "step_start", sessionID: "s-1", part: {} }), ["--session", "s-1"]],
    ["gemini", "gemini", say({ type: "init", session_id: "g-1", model: "m" }), ["--resume", "g-1"]],
  ] as const)(
    "%s is told which conversation that is; one that is not there any more is not tried again",
    async (backend, name, init, words) => {
      await install(name, `if [ $n = 1 ]; then ${init}\nfi\necho "no such session" >&2; exit 1`);
      const { id } = await world().submit({ backend });
      for (const time of [1, 2, 3]) {
        await world().end(id);
        expect(args(time).join(" ").includes(words.join(" "))).toBe(time === 2);
        await world().engine.retry(id);
      }
    },
  );

  it("is ended with its job, and all that it has started", async () => {
    await install("codex", "sleep 300 & sleep 300");
    const { id } = await world().submit({ backend: "codex" });
    await until(async () => processesOf(await childOf(id)).length >= 3);
    const pids = processesOf(await childOf(id));
    await world().engine.cancel(id);
    expect((await world().end(id)).state.status).toBe("cancelled");
    expect(pids.filter((pid) => isRunning(pid))).toEqual([]);
  });

  it("that is not installed is refused, and nothing is made", async () => {
    const engine = await world().open({ hasProgram: () => false });
    await expect(world().submit({ backend: "gemini" })).rejects.toThrow(
      'needs the program "gemini", which is not on the server\'s PATH',
    );
    expect((await engine.list()).jobs).toEqual([]);
  });
});
