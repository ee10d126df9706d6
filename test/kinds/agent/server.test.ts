import { Client, type CallToolResult } from "@modelcontextprotocol/client";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { createClient, type Client as LocalClient } from "../../../src/faces/door/local-client.ts";
import type { AnswerOf } from "../../../src/operations/registry.ts";
import { until } from "../../until.ts";
import { openTransport } from "../../faces/mcp/official-client.ts";
import { fencedIn, jobIdIn, textOf } from "../../faces/mcp/reply-text.ts";
import { startServer, type ServerProcess } from "../../faces/mcp/server-process.ts";
import { FakeModels } from "./fake-models.ts";
import { call, toolResults } from "./world.ts";

const key = "plain-words-that-are-the-key-4711";

/** One server for all: starting it takes longer than most of the tests. Each has a folder to work in, and models that heard nothing yet. */
describe("agents of a server", () => {
  let base = "";
  let home = "";
  let work = "";
  let models: FakeModels;
  let server: ServerProcess;
  let local: LocalClient;
  beforeAll(async () => {
    base = await realpath(await mkdtemp(join(tmpdir(), "longhaul-agents-")));
    home = join(base, "home");
    models = await FakeModels.open();
    local = createClient(join(home, "longhaul.sock"));
    await open();
  });
  beforeEach(async () => {
    work = await mkdtemp(join(base, "work-"));
    models.heard.length = 0;
  });
  afterAll(async () => {
    await server.kill("SIGTERM");
    await models.close();
    await rm(base, { recursive: true, force: true });
  });

  const open = async (): Promise<void> => {
    const keys = { OPENAI_BASE_URL: models.url, OPENAI_API_KEY: key };
    server = await startServer(home, { ...keys, PATH: `${join(home, "bin")}:${process.env["PATH"] ?? ""}` });
  };
  const run = async (input: object): Promise<string> => {
    const request = { task: "do it", model: "openai/m", cwd: work, ...input };
    return (await local.call("run_agent", request)).id;
  };
  const end = async (id: string): Promise<AnswerOf<"job_get">> => {
    await local.call("job_wait", { ids: [id], timeout_ms: 30_000 });
    return local.call("job_get", { id });
  };

  it("killed between steps go on without repeating a finished one", async () => {
    let isFirst = true;
    models.script(
      "m",
      call("write_file", { filePath: "a.txt", content: "1" }),
      call("run_command", { command: "echo once >> log" }),
      () => (isFirst ? ((isFirst = false), { text: "I was cut ", hangs: true }) : { text: "Done." }),
      { text: "Done." },
    );
    const id = await run({});
    await until(() => models.heard.length === 3);
    await server.kill("SIGKILL");
    await open();
    const job = await end(id);
    expect(job).toMatchObject({ state: "succeeded", result: { output: "Done.", steps: 3, tool_calls: 2 } });
    // Only the call that was under way is made again.
    expect(models.heard).toHaveLength(4);
    expect(readFileSync(join(work, "log"), "utf8")).toBe("once\n");
    expect(toolResults(models.heard[3]?.body ?? {})).toEqual(["Wrote 1 character to a.txt.", "[exit code 0]"]);
  });

  it("killed while a command of theirs runs find it again", async () => {
    models.script(
      "m",
      call("run_command", { command: "echo begun >> log; while [ ! -e go ]; do sleep 0.05; done; echo end" }),
      { text: "Done." },
    );
    const id = await run({});
    await until(() => existsSync(join(work, "log")));
    await server.kill("SIGKILL");
    await open();
    await writeFile(join(work, "go"), "");
    expect(await end(id)).toMatchObject({ state: "succeeded", result: { steps: 2 } });
    expect(readFileSync(join(work, "log"), "utf8")).toBe("begun\n");
    expect(toolResults(models.heard[1]?.body ?? {})).toEqual(["end\n[exit code 0]"]);
    expect(models.heard).toHaveLength(2);
  });

  it("killed while a program works for them find it again, and read on where they were", async () => {
    const bin = join(home, "bin");
    await mkdir(bin);
    const told = (event: object): string => `echo '${JSON.stringify(event)}'`;
    const script = [
      "#!/bin/bash",
      "cat > /dev/null",
      told({ type: "thread.started", thread_id: "t" }),
      told({ type: "item.completed", item: { type: "agent_message", text: "First." } }),
      "echo begun >> log",
      "while [ ! -e go ]; do sleep 0.05; done",
      told({ type: "item.completed", item: { type: "agent_message", text: "Second." } }),
    ];
    await writeFile(join(bin, "codex"), script.join("\n"), { mode: 0o755 });
    const id = await run({ backend: "codex", model: undefined });
    await until(async () => (await local.call("job_output", { id })).text === "First.\n");
    await server.kill("SIGKILL");
    await open();
    await writeFile(join(work, "go"), "");
    expect(await end(id)).toMatchObject({ state: "succeeded", result: { output: "Second." } });
    expect(await local.call("job_output", { id })).toMatchObject({ text: "First.\nSecond.\n" });
    expect(readFileSync(join(work, "log"), "utf8")).toBe("begun\n");
  });

  it("ask questions that an MCP client answers", async () => {
    models.script("m", call("ask_user", { question: "Which colour?" }), (heard) => ({
      text: `So ${toolResults(heard.body)[0]}.`,
    }));
    const client = new Client({ name: "plain", version: "0.0.0" }, { versionNegotiation: { mode: "auto" } });
    await client.connect(openTransport(server, "http", server.token));
    const ask = (name: string, args: Record<string, unknown>): Promise<CallToolResult> =>
      client.callTool({ name, arguments: args });
    const asked = await ask("run_agent", { task: "paint", model: "openai/m", cwd: work });
    const id = jobIdIn(asked);
    expect(textOf(asked)).toMatch(new RegExp(`^job ${id} waiting for an answer\\nQuestion \\(untrusted data`));
    expect(fencedIn(asked)).toBe("Which colour?");
    const failing = { status: 500, error: "no summaries today" };
    models.script("gpt-6-luna", failing, { text: "It waits for a colour." });
    const without = await ask("job_get", { id, summarize: true });
    expect(without.isError).toBeUndefined();
    expect(textOf(without)).toContain(`\njob ${id} waiting for an answer\n`);
    expect(textOf(without)).toContain("No summary could be made: openai/gpt-6-luna did not answer (HTTP 500)");
    expect(fencedIn(await ask("job_get", { id, summarize: true }))).toBe("It waits for a colour.");
    await ask("job_send", { id, text: "green" });
    const done = await ask("job_wait", { ids: [id] });
    expect(textOf(done)).toMatch(new RegExp(`^job ${id} succeeded after `));
    expect(JSON.parse(fencedIn(done))).toMatchObject({ output: "So green.", steps: 2 });
    expect(textOf(done)).not.toContain("\nOutput (");
    const [first] = (await client.getPrompt({ name: "plan", arguments: { task: "a bridge" } })).messages;
    expect(JSON.stringify(first)).toContain("run_agent");
    await client.close();
  });

  it("never show a key: not in events, lists, output, errors, the log or the database's readable parts", async () => {
    await writeFile(join(work, "notes.txt"), `the key is ${key}\n`);
    models.script(
      "m",
      { text: `I say ${key} aloud.`, ...call("read_file", { filePath: "notes.txt" }) },
      call("run_command", { command: `echo ${key}` }),
      call("grep", { pattern: key }),
      { status: 400, error: `Incorrect API key provided: ${key}` },
    );
    const id = await run({ context: `use ${key}` });
    expect(await end(id)).toMatchObject({ state: "failed", error: { code: "model_refused" } });
    const shown = await Promise.all([
      local.call("job_get", { id }),
      local.call("job_list", {}),
      local.call("job_events", { id }),
      local.call("job_output", { id }),
      local.call("job_output", { id, stream: "activity" }),
    ]);
    expect(JSON.stringify(shown)).not.toContain(key);
    expect(JSON.stringify(shown)).toContain("[redacted]");
    // What a tool read is hidden from the model, too.
    expect(toolResults(models.heard.at(-1)?.body ?? {}).join("\n")).not.toContain(key);
    for (const file of readdirSync(home).filter((name) => name.endsWith(".log"))) {
      expect(readFileSync(join(home, file), "utf8")).not.toContain(key);
    }
  });

  it("compare themselves as a batch, of which one succeeds, one fails and one hangs until it is cancelled", async () => {
    models.script("good", { text: "Line one\nLine two\nLine three", usage: { input: 1_000, output: 100 } });
    models.script("bad", { status: 401, error: "bad key" });
    models.script("slow", { text: "hm ", hangs: true });
    const request = { task: "answer", cwd: work, models: ["openai/good", "openai/bad", "openai/slow"] };
    await expect(local.call("run_agents", request)).rejects.toThrow("Several models may not change the same folder");
    const { batch, jobs } = await local.call("run_agents", {
      ...request,
      read_only: true,
    });
    const ids = jobs.map(({ id }) => id);
    const first = await local.call("job_wait", {
      ids,
      for: "success",
      timeout_ms: 20_000,
    });
    expect(first).toMatchObject({ reached: true });
    await local.call("job_wait", { ids, for: 2, timeout_ms: 20_000 });
    await local.call("job_cancel", { ids });
    await local.call("job_wait", { ids, timeout_ms: 20_000 });
    expect(await local.call("agent_digest", { batch, lines: 2 })).toMatchObject({
      batch,
      finished: 3,
      total: 3,
      jobs: [
        { id: ids[0], state: "succeeded", model: "openai/good", tokens: 1_100, steps: 1, answer: "Line one\nLine two" },
        { id: ids[1], state: "failed", model: "openai/bad", answer: expect.stringContaining("HTTP 401") as string },
        { id: ids[2], state: "cancelled", model: "openai/slow" },
      ],
    });
    await until(() => models.requests("slow")[0]?.isAborted === true);
    const inputs = await local.call("run_agents", {
      task: "t",
      cwd: work,
      models: ["openai/good"],
      inputs: ["first item", "second item"],
    });
    expect(inputs.jobs).toHaveLength(2);
    await until(() => models.requests("good").length === 3);
    expect(models.requests("good").some(({ said }) => said.includes("second item"))).toBe(true);
  });

  it("take the same words at /v1/agents and at /v1/jobs, so that one Idempotency-Key finds one job at both", async () => {
    models.script("m", { text: "Done." });
    const post = async (path: string, body: object): Promise<{ status: number; body: { id?: string } }> => {
      const headers = {
        authorization: `Bearer ${server.token}`,
        "content-type": "application/json",
        "idempotency-key": "one agent",
      };
      const answer = await fetch(new URL(path, server.url), { method: "POST", headers, body: JSON.stringify(body) });
      return { status: answer.status, body: (await answer.json()) as { id?: string } };
    };
    const input = {
      task: "do it",
      context: "c",
      output: "o",
      files: ["a.txt"],
      read_only: true,
      model: "openai/m",
      fallback: ["openai/n"],
      cwd: work,
      max_steps: 5,
      max_tokens: 1_000,
      output_schema: { type: "object" },
    };
    const first = await post("/v1/agents", input);
    expect(first.status).toBe(201);
    expect(await post("/v1/agents", input)).toMatchObject({ status: 200, body: { id: first.body.id, is_known: true } });
    expect(await post("/v1/jobs", { kind: "agent", input })).toMatchObject({
      status: 200,
      body: { id: first.body.id },
    });
    expect(await post("/v1/agents", { ...input, task: "do more" })).toMatchObject({ status: 409 });
    expect(await local.call("job_get", { id: first.body.id ?? "" })).toMatchObject({ input });
    await local.call("job_cancel", { ids: [first.body.id ?? ""] });
  });

  it("of a batch that is started again under its idempotency key are found in the batch of before", async () => {
    models.script("m", { text: "Done." });
    const request = { task: "t", cwd: work, models: ["openai/m"], inputs: ["a", "b"], idempotency_key: "one batch" };
    const first = await local.call("run_agents", request);
    const again = await local.call("run_agents", request);
    expect(again.batch).toBe(first.batch);
    expect(again.jobs.map(({ id }) => id)).toEqual(first.jobs.map(({ id }) => id));
  });

  it("are refused without any key, in a sentence that says which to set, and nothing is made", async () => {
    const bare = join(home, "bare");
    const none = { OPENAI_BASE_URL: "", OPENAI_API_KEY: "", ANTHROPIC_API_KEY: "", GOOGLE_API_KEY: "" };
    await mkdir(bare);
    const other = await startServer(bare, none);
    onTestFinished(() => other.kill("SIGTERM"));
    const { call: ask } = createClient(join(bare, "longhaul.sock"));
    const request = { task: "do it", cwd: work };
    await expect(ask("run_agent", request)).rejects.toThrow(
      /No model can be called: set ANTHROPIC_API_KEY, OPENAI_API_KEY/,
    );
    await expect(ask("agent_check", {})).rejects.toThrow("No model can be called");
    await expect(ask("run_agent", { ...request, backend: "codex" })).rejects.toThrow('needs the program "codex"');
    expect(await ask("job_list", {})).toEqual({ jobs: [] });
  });
});
