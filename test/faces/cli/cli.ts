import type { InputOf } from "../../../src/operations/registry.ts";
import { spawn, type ChildProcess } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, onTestFinished } from "vitest";
import { isAlive } from "../../../src/faces/cli/server/process-life.ts";
import { createClient, NotRunningError, type Client } from "../../../src/faces/door/local-client.ts";
import { until } from "../../until.ts";

export const bin = resolve("dist/server/main.js");

export interface Done {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  readonly process: ChildProcess;
  readonly stdout: () => string;
  readonly stderr: () => string;
  readonly done: Promise<Done>;
}

interface RunOptions {
  readonly env?: Record<string, string>;
  readonly stdin?: string | Uint8Array;
  /** Its input does not end by itself: the test writes to it, or nobody does. */
  readonly isInputOpen?: true;
  readonly cwd?: string;
  /** Another program than the built one. */
  readonly bin?: string;
}

export interface Cli {
  readonly home: string;
  readonly client: Client;
  readonly run: (words: readonly string[], options?: RunOptions) => Promise<Done>;
  /** The answer of a command with `--json`. */
  readonly json: <Answer>(words: readonly string[]) => Promise<Answer>;
  /** Starts a command in the background of its server and answers with its id. */
  readonly detach: (command: string, words?: readonly string[]) => Promise<string>;
  readonly start: (words: readonly string[], options?: RunOptions) => Running;
  readonly serverPid: () => number | undefined;
}

/** The command line on a folder of its own, for one test; its jobs and its server end with the test. */
export function makeCli(): Cli {
  const cli = createCli();
  onTestFinished(() => closeCli(cli));
  return cli;
}

/** The same for all tests of a file. */
export function makeSharedCli(): Cli {
  const cli = createCli();
  afterAll(() => closeCli(cli));
  return cli;
}

/** Whoever calls it closes it. */
export function createCli(): Cli {
  const home = mkdtempSync(join(tmpdir(), "longhaul-cli-"));
  const start = (words: readonly string[], options: RunOptions = {}): Running => startCli(home, words, options);
  const run = (words: readonly string[], options?: RunOptions): Promise<Done> => start(words, options).done;
  const json = async <Answer>(words: readonly string[]): Promise<Answer> => {
    const [command = "", ...rest] = words;
    const { stdout, stderr } = await run([command, "--json", ...rest]);
    if (stdout === "") throw new Error(stderr);
    return JSON.parse(stdout) as Answer;
  };
  return {
    home,
    run,
    start,
    json,
    client: createClient(join(home, "longhaul.sock")),
    detach: async (command, words = []) => (await run(["run", "-d", ...words, "--", command])).stdout.trim(),
    serverPid: () => readServerPid(home),
  };
}

function startCli(home: string, words: readonly string[], options: RunOptions): Running {
  const { NO_COLOR: _no, FORCE_COLOR: _force, LONGHAUL_JOB_ID: _job, ...inherited } = process.env;
  const child = spawn(process.execPath, [options.bin ?? bin, ...words], {
    env: { ...inherited, LONGHAUL_HOME: home, LONGHAUL_PORT: "0", ...options.env },
    cwd: options.cwd,
    stdio: "pipe",
  });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  // It may end without having read all.
  child.stdin.on("error", () => undefined);
  if (options.isInputOpen !== true) child.stdin.end(options.stdin ?? "");
  const done = new Promise<Done>((fulfil) => {
    child.once("close", (code) => fulfil({ code, stdout, stderr }));
  });
  return { process: child, stdout: () => stdout, stderr: () => stderr, done };
}

function readServerPid(home: string): number | undefined {
  const file = join(home, "server.json");
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as { pid: number }).pid : undefined;
}

export async function closeCli({ home, client }: Cli): Promise<void> {
  try {
    const active: InputOf<"job_list"> = { state: ["queued", "running", "waiting"] };
    await client.call("job_cancel", { filter: active });
    await until(async () => (await client.call("job_list", active)).jobs.length === 0);
  } catch (error) {
    if (!(error instanceof NotRunningError)) throw error;
  }
  await Promise.all(listServers(home).map((pid) => endProcess(pid)));
  rmSync(home, { recursive: true, force: true });
}

/** The servers of a folder, also those that have not got hold of it. */
export function listServers(home: string): number[] {
  return readdirSync("/proc")
    .map(Number)
    .filter((pid) => pid > 0 && readProcess(pid, "cmdline").includes("serve"))
    .filter((pid) => readProcess(pid, "environ").includes(`LONGHAUL_HOME=${home}`) && isAlive(pid));
}

function readProcess(pid: number, file: "cmdline" | "environ"): string[] {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8").split("\0");
  } catch {
    return [];
  }
}

export async function endProcess(pid: number, signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
  if (isAlive(pid)) process.kill(pid, signal);
  await until(() => !isAlive(pid), { timeoutMs: 20_000 });
}
