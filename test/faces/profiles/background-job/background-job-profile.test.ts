import { Client, type CallToolResult } from "@modelcontextprotocol/client";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readBackgroundJobSettings } from "../../../../src/config/background-job.ts";
import { until } from "../../../until.ts";
import { openTransport } from "../../mcp/official-client.ts";
import { serveBuilt, type TestServer } from "../../mcp/server-process.ts";

describe("the profile background-job", () => {
  let home = "";
  let server: TestServer | undefined;
  let client: Client | undefined;
  beforeEach(async () => {
    home = await realpath(await mkdtemp(join(tmpdir(), "longhaul-bg-")));
  });
  afterEach(async () => {
    await client?.close();
    await server?.stop();
    await rm(home, { recursive: true, force: true });
  });

  async function open(variables: Record<string, string> = {}, mode: "auto" | "legacy" = "legacy"): Promise<void> {
    server = await serveBuilt(home, variables);
    client = new Client({ name: "drop-in", version: "0.0.0" }, { versionNegotiation: { mode } });
    await client.connect(openTransport({ ...server, url: `${server.url}/background-job` }, "http", server.token));
  }
  const call = async (name: string, args: Record<string, unknown> = {}): Promise<CallToolResult> =>
    (await client?.callTool({ name, arguments: args })) as CallToolResult;
  const data = async (name: string, args: Record<string, unknown> = {}): Promise<Record<string, unknown>> => {
    const { structuredContent, content } = await call(name, args);
    const [first] = content;
    expect(JSON.parse(first?.type === "text" ? first.text : "")).toEqual(structuredContent);
    return structuredContent as Record<string, unknown>;
  };
  const error = async (name: string, args: Record<string, unknown> = {}): Promise<string> => {
    const { isError, content } = await call(name, args);
    const [first] = content;
    return isError === true && first?.type === "text" ? first.text : "no error";
  };
  const execute = async (command: string): Promise<string> =>
    String((await data("execute_command", { command }))["job_id"]);
  const settled = async (id: string): Promise<unknown> => {
    await until(async () => (await data("get_job_status", { job_id: id }))["status"] !== "running");
    return (await data("get_job_status", { job_id: id }))["status"];
  };

  it.each(["auto", "legacy"] as const)(
    "lists the seven tools once, and takes the names of the README (%s)",
    async (mode) => {
      await open({}, mode);
      const names = (await client?.listTools())?.tools.map(({ name }) => name);
      expect(names).toEqual([
        "execute_command",
        "list_jobs",
        "get_job_status",
        "get_job_output",
        "tail_job_output",
        "interact_with_job",
        "kill_job",
      ]);
      const { job_id: id } = await data("execute", { command: "sleep 60" });
      for (const [name, args] of [
        ["list", {}],
        ["status", { job_id: id }],
        ["output", { job_id: id }],
        ["tail", { job_id: id, lines: "5" }],
        ["interact", { job_id: id, input: "x" }],
        ["kill", { job_id: id }],
      ] as const)
        expect((await call(name, args)).isError).not.toBe(true);
    },
  );

  it("runs commands in a real shell, and tells their status, output and last lines", async () => {
    await open();
    const id = await execute("for i in 1 2 3; do echo $i; done && echo oops >&2");
    expect(await settled(id)).toBe("completed");
    expect(await data("get_job_output", { job_id: id })).toEqual({ stdout: "1\n2\n3", stderr: "oops" });
    expect(await data("tail_job_output", { job_id: id, lines: 2 })).toEqual({ stdout: "2\n3", stderr: "oops" });
    const failed = await execute("exit 3");
    expect(await settled(failed)).toBe("failed");
    expect(await data("list_jobs")).toMatchObject({
      jobs: [
        { job_id: failed, status: "failed", command: "exit 3" },
        { job_id: id, status: "completed" },
      ],
    });
  });

  it("sends input and returns what came of it", async () => {
    await open();
    const id = await execute("while read line; do echo got $line; done");
    await until(async () => (await call("interact_with_job", { job_id: id, input: "ping" })).isError !== true);
    await until(async () => {
      const { stdout } = await data("interact", { job_id: id, input: "pong" });
      return stdout === "got pong";
    });
    expect(await data("kill_job", { job_id: id })).toEqual({ status: "killed" });
    expect(await data("get_job_status", { job_id: id })).toEqual({ status: "killed" });
    expect(await data("kill_job", { job_id: id })).toEqual({ status: "already_terminated" });
    expect(await error("interact_with_job", { job_id: id, input: "x" })).toBe(
      `Job ${id} is not running and cannot accept input`,
    );
  });

  it("refuses in the words that its clients know", async () => {
    await open({ MCP_BG_ALLOWED_COMMANDS: "^echo,^sleep" });
    const expected: [string, Record<string, unknown>, string][] = [
      ["execute_command", { command: "  " }, "Invalid command: Command cannot be empty"],
      [
        "execute_command",
        { command: "echo x; rm -rf /" },
        "Invalid command: Command contains dangerous pattern and is not allowed: echo x; rm -rf /",
      ],
      ["execute_command", { command: "ls" }, "Invalid command: Command not in allowed patterns: ls"],
      ["execute_command", { command: "echo 'x" }, "Invalid command: No closing quotation"],
      ["get_job_status", { job_id: "nope" }, "Job nope not found"],
      ["get_job_output", { job_id: "nope" }, "Job nope not found"],
      ["tail_job_output", { job_id: "nope" }, "Job nope not found"],
      ["interact_with_job", { job_id: "nope", input: "x" }, "Job nope not found"],
      ["tail_job_output", { job_id: "nope", lines: 0 }, "Invalid parameter: Number of lines must be positive"],
    ];
    for (const [name, args, text] of expected) expect(await error(name, args)).toBe(text);
    expect(await data("kill_job", { job_id: "nope" })).toEqual({ status: "not_found" });
    expect(await data("list_jobs")).toEqual({ jobs: [] });
  });

  it("queues jobs over the limit, and refuses them when it is strict", async () => {
    await open({ MCP_BG_MAX_JOBS: "1", MCP_BG_WORKING_DIR: home, MCP_BG_JOB_TIMEOUT: "1" });
    const first = await execute("pwd; sleep 30");
    const second = await execute("echo second");
    expect(await settled(second)).toBe("completed");
    // The time limit, which did nothing in the server that this one replaces, has ended the first.
    expect(await settled(first)).toBe("failed");
    expect((await data("get_job_output", { job_id: first }))["stdout"]).toBe(home);
    await client?.close();
    await server?.stop();
    await open({ MCP_BG_MAX_JOBS: "1", MCP_BG_STRICT: "1" });
    const third = await execute("sleep 30");
    expect(await error("execute_command", { command: "echo x" })).toBe(
      "Job limit reached: Maximum concurrent jobs limit (1) reached",
    );
    await data("kill_job", { job_id: third });
  });
});

describe("the variables of mcp-background-job", () => {
  it("are taken with their units", () => {
    expect(readBackgroundJobSettings({})).toMatchObject({ maxJobs: undefined, allowedCommands: [], isStrict: false });
    expect(
      readBackgroundJobSettings({
        MCP_BG_MAX_OUTPUT_SIZE: "2MB",
        MCP_BG_JOB_TIMEOUT: "3",
        MCP_BG_CLEANUP_INTERVAL: "60",
      }),
    ).toMatchObject({ maxOutputBytes: 2_097_152, jobTimeoutMs: 3_000, cleanupIntervalMs: 60_000 });
  });

  it.each([
    { MCP_BG_MAX_JOBS: "0" },
    { MCP_BG_MAX_JOBS: "many" },
    { MCP_BG_MAX_OUTPUT_SIZE: "1GB" },
    { MCP_BG_JOB_TIMEOUT: "-1" },
    { MCP_BG_CLEANUP_INTERVAL: "5" },
    { MCP_BG_ALLOWED_COMMANDS: "(" },
  ])("%o is refused by name, not replaced silently", (env) => {
    expect(() => readBackgroundJobSettings(env)).toThrow(Object.keys(env)[0]);
  });
});
