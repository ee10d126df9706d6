import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { until } from "../../until.ts";
import { endProcess, listServers } from "../cli/cli.ts";
import { frontIn, startServer, type ServerProcess } from "./server-process.ts";
import { program } from "./world.ts";

interface Answer {
  readonly id?: unknown;
  readonly result?: { readonly tools?: unknown[]; readonly content?: { readonly text: string }[] };
  readonly error?: { readonly code: number };
}

const meta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "raw", version: "0.0.0" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

/** A front that is talked to in bytes. */
class RawFront {
  readonly child: ChildProcess;
  readonly lines: string[] = [];

  constructor(front: ServerProcess["front"]) {
    this.child = spawn(front.command, front.args, { env: front.env, stdio: ["pipe", "pipe", "pipe"] });
    if (this.child.stdout !== null)
      createInterface({ input: this.child.stdout }).on("line", (line) => this.lines.push(line));
  }

  write(text: string): void {
    this.child.stdin?.write(text);
  }

  send(id: number, method: string, params: Record<string, unknown> = {}): void {
    this.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params: { ...params, _meta: meta } })}\n`);
  }

  /** Every line must be a message: stdout carries nothing else. */
  answers(): Answer[] {
    return this.lines.map((line) => JSON.parse(line) as Answer);
  }

  async answer(id: number): Promise<Answer> {
    await until(async () => this.answers().some((answer) => answer.id === id));
    return this.answers().find((answer) => answer.id === id) as Answer;
  }

  async end(): Promise<number | null> {
    if (this.child.exitCode !== null) return this.child.exitCode;
    const ended = once(this.child, "exit");
    this.child.stdin?.end();
    const [code] = (await ended) as [number | null];
    return code;
  }
}

describe("the front on stdio", () => {
  let home = "";
  let server: ServerProcess | undefined;
  const fronts: RawFront[] = [];
  const open = (front = frontIn(home)): RawFront => {
    const opened = new RawFront(front);
    fronts.push(opened);
    return opened;
  };
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), "longhaul-stdio-"));
  });
  afterEach(async () => {
    await Promise.all(fronts.splice(0).map((front) => front.end()));
    await server?.kill("SIGTERM");
    server = undefined;
    // One that came too late to be the first may have taken its place.
    await Promise.all(listServers(home).map((pid) => endProcess(pid)));
    await rm(home, { recursive: true, force: true });
  });

  it("starts one server when five start at once, and all are served", async () => {
    const five = Array.from({ length: 5 }, () => open());
    five.forEach((front) => front.send(1, "tools/list"));
    const answers = await Promise.all(five.map((front) => front.answer(1)));
    expect(answers.map(({ result }) => result?.tools?.length)).toEqual([11, 11, 11, 11, 11]);
    const { pid } = JSON.parse(await readFile(join(home, "server.json"), "utf8")) as { pid: number };
    await Promise.all(five.map((front) => front.end()));
    process.kill(pid, "SIGTERM");
    await until(async () => !isAlive(pid));
  });

  it("ends with 0 when its client hangs up, and with 1 when the server does", async () => {
    server = await startServer(home);
    const left = open();
    left.send(1, "tools/list");
    await left.answer(1);
    expect(await left.end()).toBe(0);
    const abandoned = open();
    abandoned.send(1, "tools/list");
    await abandoned.answer(1);
    const ended = once(abandoned.child, "exit");
    await server.kill("SIGKILL");
    expect((await ended)[0]).toBe(1);
  });

  it("offers the tools of the profile that is asked for, with and without a server that runs", async () => {
    const args = [program, "mcp", "--profile", "background-job"];
    const first = open({ ...frontIn(home), args });
    first.send(1, "tools/list");
    expect(toolNames(await first.answer(1))).toContain("execute_command");
    const { pid } = JSON.parse(await readFile(join(home, "server.json"), "utf8")) as { pid: number };
    const second = open({ ...frontIn(home), args });
    second.send(1, "tools/list");
    expect(toolNames(await second.answer(1))).toContain("execute_command");
    await Promise.all([first.end(), second.end()]);
    process.kill(pid, "SIGTERM");
    await until(async () => !isAlive(pid));
  });

  it("says in one line on stderr what is wrong with its own call, and nothing on stdout", async () => {
    const front = open({ ...frontIn(home), args: [program, "mcp", "--profile", "nonsense"] });
    const errors: Buffer[] = [];
    front.child.stderr?.on("data", (chunk: Buffer) => errors.push(chunk));
    expect((await once(front.child, "exit"))[0]).toBe(2);
    expect(Buffer.concat(errors).toString()).toMatch(/^error: .*nonsense.*core.*\n$/);
    expect(front.lines).toEqual([]);
  });

  it("survives garbage, half lines, a line of 10 MB and methods that do not exist", async () => {
    server = await startServer(home);
    const front = open();
    front.write("this is no JSON\n\n{}\n[1,2]\n\u0000\u0001\n");
    const [first, second] = [
      `{"jsonrpc":"2.0","id":1,"method":"tools`,
      `/list","params":{"_meta":${JSON.stringify(meta)}}}\n`,
    ];
    front.write(first);
    await new Promise((resolve) => setImmediate(resolve));
    front.write(second);
    expect((await front.answer(1)).result?.tools).toHaveLength(11);
    front.send(2, "tools/call", { name: "job_get", arguments: { id: "x".repeat(10_000_000) } });
    expect((await front.answer(2)).result).toMatchObject({ isError: true });
    front.send(3, "no/such/method");
    expect((await front.answer(3)).error?.code).toBe(-32_601);
  });

  it("stops waiting for a request that was cancelled, and serves the next", async () => {
    server = await startServer(home);
    const front = open();
    front.send(1, "tools/call", { name: "run_command", arguments: { command: "sleep 30", wait_s: 45 } });
    front.send(2, "tools/list");
    await front.answer(2);
    front.write(`${JSON.stringify({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } })}\n`);
    front.send(3, "tools/call", { name: "job_list", arguments: {} });
    // The caller gave up; the job did not.
    expect((await front.answer(3)).result?.content?.[0]?.text).toContain("running");
    expect(front.answers().some(({ id }) => id === 1)).toBe(false);
    front.send(4, "tools/call", { name: "job_list", arguments: { state: ["running"] } });
    const listed = (await front.answer(4)).result?.content?.[0]?.text ?? "";
    front.send(5, "tools/call", { name: "job_cancel", arguments: { ids: [listed.split(" ")[0]] } });
    expect((await front.answer(5)).result).not.toMatchObject({ isError: true });
  });

  it("is not needed in process: the engine runs in the process that the client started", async () => {
    const front = open({ ...frontIn(home), args: [program, "mcp", "--in-process"] });
    front.send(1, "tools/call", { name: "run_command", arguments: { command: "echo in process" } });
    expect((await front.answer(1)).result?.content?.[0]?.text).toContain("in process");
    expect(await front.end()).toBe(0);
  });
});

function toolNames({ result }: Answer): string[] {
  return ((result?.tools ?? []) as { name: string }[]).map(({ name }) => name);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
