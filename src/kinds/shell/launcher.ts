import { spawn, type ChildProcess } from "node:child_process";
import { closeSync, constants, openSync } from "node:fs";
import { constants as osConstants } from "node:os";
import { createInterface } from "node:readline";
import { JobFailure } from "../../job/failure.ts";
import { launcherScript } from "./launcher-script.ts";

export interface LaunchRequest {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** A named pipe, which stays open for both sides, or a file to read to its end. */
  readonly stdin: { readonly path: string; readonly isPipe: boolean };
  readonly stdout: string;
  readonly stderr: string;
}

export interface ProcessEnd {
  readonly exitCode: number | undefined;
  readonly signal: string | null;
}

export interface Launched {
  readonly pid: number;
  readonly ended: Promise<ProcessEnd>;
}

interface Pending {
  readonly resolve: (launched: Launched) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Starts processes that share nothing with the server: each leads a session of its own, writes to files and reads
 * from a pipe or file. A small helper in Perl does it fast; where there is no Perl, Node does it.
 */
export class Launcher {
  readonly #pending = new Map<string, Pending>();
  readonly #running = new Map<number, (end: ProcessEnd) => void>();
  #helper: ChildProcess | undefined;
  #hasHelper = true;
  #count = 0;

  async launch(request: LaunchRequest): Promise<Launched> {
    const helper = this.#hasHelper ? (this.#helper ?? (await this.#startHelper())) : undefined;
    if (helper === undefined) return launchDirectly(request);
    return new Promise((resolve, reject) => {
      const id = String(++this.#count);
      this.#pending.set(id, { resolve, reject });
      helper.stdin?.write(encode(id, request));
    });
  }

  /** The processes run on. */
  close(): void {
    this.#helper?.stdin?.end();
    this.#helper = undefined;
  }

  async #startHelper(): Promise<ChildProcess | undefined> {
    const helper = spawn("perl", ["-e", launcherScript], {
      detached: true,
      stdio: ["pipe", "pipe", "ignore"],
      cwd: "/",
    });
    const isStarted = await new Promise<boolean>((resolve) => {
      helper.once("spawn", () => resolve(true));
      helper.once("error", () => resolve(false));
    });
    if (!isStarted) {
      this.#hasHelper = false;
      return undefined;
    }
    if (this.#helper !== undefined) {
      helper.stdin?.end();
      return this.#helper;
    }
    this.#helper = helper;
    helper.stdin?.on("error", () => undefined);
    createInterface({ input: helper.stdout ?? process.stdin }).on("line", (line) => this.#hear(line));
    helper.once("exit", () => this.#helperEnded(helper));
    helper.unref();
    return helper;
  }

  #hear(line: string): void {
    const [what, first = "", second = "", third = ""] = line.split(" ");
    const pending = this.#pending.get(first);
    if (what === "ended") {
      this.#running.get(Number(first))?.(toEnd(Number(second), Number(third)));
      this.#running.delete(Number(first));
    } else if (pending !== undefined) {
      this.#pending.delete(first);
      if (what === "started") pending.resolve(this.#launched(Number(second)));
      else pending.reject(notStarted(line.slice(`failed ${first} `.length)));
    }
  }

  #launched(pid: number): Launched {
    return { pid, ended: new Promise((resolve) => this.#running.set(pid, resolve)) };
  }

  /** Somebody ended the helper: its commands run on, but their ends must be looked for. */
  #helperEnded(helper: ChildProcess): void {
    if (this.#helper === helper) this.#helper = undefined;
    for (const { reject } of this.#pending.values()) reject(notStarted("the launching helper was ended"));
    this.#pending.clear();
    for (const end of this.#running.values()) end({ exitCode: undefined, signal: null });
    this.#running.clear();
  }
}

function encode(id: string, request: LaunchRequest): string {
  const env = Object.entries(request.env).map(([name, value]) => `${name}=${value}`);
  const { cwd, stdin, stdout, stderr, argv } = request;
  const fields = [id, cwd, stdin.path, stdout, stderr, String(env.length), ...env, ...argv];
  const text = fields.map((field) => field.replaceAll("\0", "")).join("\0");
  return `${Buffer.byteLength(text)}\n${text}`;
}

async function launchDirectly(request: LaunchRequest): Promise<Launched> {
  const [file = "", ...rest] = request.argv;
  const files = [
    openSync(request.stdin.path, request.stdin.isPipe ? constants.O_RDWR : constants.O_RDONLY),
    openSync(request.stdout, "a", 0o600),
    openSync(request.stderr, "a", 0o600),
  ];
  try {
    const child = spawn(file, rest, { cwd: request.cwd, env: request.env, detached: true, stdio: files });
    const ended = new Promise<ProcessEnd>((resolve) => {
      child.once("exit", (code, signal) => resolve({ exitCode: code ?? undefined, signal }));
    });
    await new Promise<void>((resolve, reject) => {
      child.once("spawn", resolve);
      child.once("error", (error) => reject(notStarted(error.message)));
    });
    child.unref();
    return { pid: child.pid ?? 0, ended };
  } finally {
    files.forEach((descriptor) => closeSync(descriptor));
  }
}

function toEnd(exitCode: number, signalNumber: number): ProcessEnd {
  if (signalNumber === 0) return { exitCode, signal: null };
  const found = Object.entries(osConstants.signals).find(([, number]) => number === signalNumber);
  return { exitCode: undefined, signal: found?.[0] ?? `signal ${signalNumber}` };
}

function notStarted(why: string): JobFailure {
  return new JobFailure("not_started", `The command could not be started: ${why}.`, { retryable: false });
}
