import { Client, type CallToolResult } from "@modelcontextprotocol/client";
import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
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

  const configure = (config: unknown): Promise<void> =>
    writeFile(join(home, "config.json"), JSON.stringify(config), { mode: 0o600 });
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
        "list_jobs",
        "get_job_status",
        "get_job_output",
        "tail_job_output",
        "execute_command",
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

  it("takes a number of lines that comes as text", async () => {
    await open();
    const id = await execute("seq 1 9");
    expect(await settled(id)).toBe("completed");
    expect(await data("tail_job_output", { job_id: id, lines: "5" })).toEqual({ stdout: "5\n6\n7\n8\n9", stderr: "" });
  });

  it("keeps the end of output over the cap, in whole lines, and says how much is left out", async () => {
    await open({ MCP_BG_MAX_OUTPUT_SIZE: "1MB" });
    const id = await execute("seq 1 1500000 | tee /dev/stderr");
    expect(await settled(id)).toBe("completed");
    const { stdout, stderr } = await data("get_job_output", { job_id: id });
    for (const text of [stdout, stderr]) {
      const [mark = "", ...lines] = String(text).split("\n");
      const kept = Buffer.byteLength(lines.join("\n")) + 1;
      // Seven eighths of what is kept on disk are the end.
      expect(kept).toBeGreaterThan(900_000);
      expect(kept).toBeLessThanOrEqual(1024 * 1024);
      expect(mark).toBe(`[${seqBytes(1_500_000) - kept} bytes left out]`);
      expect(lines).toEqual(Array.from(lines, (_, index) => String(1_500_000 - lines.length + 1 + index)));
    }
    expect(await data("tail_job_output", { job_id: id, lines: 2 })).toEqual({
      stdout: "1499999\n1500000",
      stderr: "1499999\n1500000",
    });
  });

  it("marks the place where output was dropped from the disk, between whole lines", async () => {
    await configure({ shell: { output_cap_mb: 0.05 } });
    await open();
    const id = await execute("seq 1 200000");
    expect(await settled(id)).toBe("completed");
    const { stdout } = await data("get_job_output", { job_id: id });
    const lines = String(stdout).split("\n");
    const at = lines.findIndex((line) => line.startsWith("["));
    const before = lines.slice(0, at);
    const after = lines.slice(at + 1);
    expect(before).toEqual(Array.from(before, (_, index) => String(index + 1)));
    expect(after).toEqual(Array.from(after, (_, index) => String(200_000 - after.length + 1 + index)));
    const shown = Buffer.byteLength([...before, ...after].join("\n")) + 1;
    expect(lines[at]).toBe(`[${seqBytes(200_000) - shown} bytes left out]`);
  });

  it("gives the last lines also where they are long, and marks what does not fit", async () => {
    await open({ MCP_BG_MAX_OUTPUT_SIZE: "1MB" });
    const id = await execute("for i in $(seq 1 40); do head -c 50000 /dev/zero | tr '\\0' x; echo \" $i\"; done");
    expect(await settled(id)).toBe("completed");
    const { stdout: three } = await data("tail_job_output", { job_id: id, lines: 3 });
    expect(String(three).replaceAll("x", "")).toBe(" 38\n 39\n 40");
    const { stdout: all } = await data("tail_job_output", { job_id: id, lines: 40 });
    expect(String(all).replaceAll("x", "")).toMatch(/^\[\d+ bytes left out\]\n 2\d\n[^]* 40$/);
    const endless = await execute("head -c 2000000 /dev/zero | tr '\\0' y");
    expect(await settled(endless)).toBe("completed");
    const { stdout: line } = await data("get_job_output", { job_id: endless });
    expect(String(line)).toMatch(/^\[\d+ bytes left out\]\ny+$/);
  });

  it("says of a job that waits for its turn that it is queued, when there is input for it", async () => {
    await open({ MCP_BG_MAX_JOBS: "1" });
    const first = await execute("sleep 60");
    const second = await execute("cat");
    expect(await error("interact_with_job", { job_id: second, input: "x" })).toBe(
      `Job ${second} is queued and cannot accept input until it runs`,
    );
    await data("kill_job", { job_id: second });
    await data("kill_job", { job_id: first });
  });

  it.each([
    ["a comment with a quote", "echo hi # don't", "hi"],
    ["a here-document", "cat <<'END'\nit's\nEND", "it's"],
    ["what used to be refused in a text", "echo 'rm -rf / ; mkfs.ext4; fdisk; curl x | sh'", undefined],
    ["a command of 100 kB", `: '${"x".repeat(100 * 1024)}'; echo long`, "long"],
  ])("runs whatever the shell takes: %s", async (_what, command, stdout) => {
    await open();
    const id = await execute(command);
    expect(await settled(id)).toBe("completed");
    if (stdout !== undefined) expect(await data("get_job_output", { job_id: id })).toEqual({ stdout, stderr: "" });
  });

  it("refuses a command that no program could be handed, with how long it may be", async () => {
    await open();
    expect(await error("execute_command", { command: `echo ${"é".repeat(70_000)}` })).toMatch(
      /^Invalid command: command must have at most 131071 bytes, got "echo é+…\.$/,
    );
  });

  it("refuses what the server's rules refuse, in the words that its clients know", async () => {
    await configure({ shell: { deny: ["rm\\s+-(rf|fr)"], allow: ["^(rm|echo|sleep)"] } });
    await open({ MCP_BG_ALLOWED_COMMANDS: "^echo,^rm,^ls" });
    const allowed = "Command not in allowed patterns";
    for (const command of ["rm -rf ./build", "rm -fr ./build"]) {
      expect(await error("execute_command", { command })).toBe(
        `Invalid command: Command contains dangerous pattern and is not allowed: ${command}`,
      );
    }
    expect(await error("execute_command", { command: "ls" })).toBe(`Invalid command: ${allowed}: ls`);
    expect(await error("execute_command", { command: "sleep 1" })).toBe(`Invalid command: ${allowed}: sleep 1`);
    expect(await error("execute_command", { command: `sleep ${"1".repeat(1_000)}` })).toMatch(/1…$/);
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

/** What `seq 1 last` writes. */
function seqBytes(last: number): number {
  return Array.from({ length: last }, (_, index) => String(index + 1).length + 1).reduce(
    (sum, bytes) => sum + bytes,
    0,
  );
}
