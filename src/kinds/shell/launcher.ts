import { spawn, type ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";
import { JobFailure, messageOf } from "../../job/failure.ts";
import { launchDirectly } from "./launch-directly.ts";
import { onScript, type Launched, type LaunchRequest } from "./launch-request.ts";
import { launcherScript, unwrapScript, wrappedPrefix } from "./launcher-script.ts";
import { attemptVariable, jobVariable } from "./main-process.ts";
import { toEnd, type ProcessEnd } from "./process-record.ts";

interface Pending {
  readonly helper: ChildProcess;
  readonly resolve: (launched: Launched | "taken" | "helper ended") => void;
  readonly reject: (error: Error) => void;
}

const wakeEveryMs = 1_000;

/**
 * Starts processes that share nothing with the server: each leads a session of its own, writes to files and reads
 * from a pipe or file. A small helper in Perl does it fast; where there is no Perl, Node does it.
 */
export class Launcher {
  /** What commands inherit unless they are given another environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly #perl: string;
  readonly #pending = new Map<string, Pending>();
  readonly #running = new Map<number, { helper: ChildProcess; end: (end: ProcessEnd | undefined) => void }>();
  #helper: Promise<ChildProcess | undefined> | undefined;
  #waking: NodeJS.Timeout | undefined;
  #count = 0;

  constructor(env: Readonly<Record<string, string>>, perl = "perl") {
    this.env = env;
    this.#perl = perl;
  }

  /** Resolves with nothing if the attempt was started before, or may have been. */
  async launch({ inheritedEnv = this.env, ...given }: LaunchRequest): Promise<Launched | undefined> {
    const request = { ...given, env: { ...inheritedEnv, ...given.env } };
    const helper = await this.#liveHelper();
    if (helper === undefined) {
      if (request.wrapper !== undefined)
        throw notStarted("it would have to be kept from the server's files, which needs Perl");
      return launchDirectly(onScript(request)).catch((error: unknown) => {
        throw notStarted(messageOf(error));
      });
    }
    const answer = await this.#ask(helper, request);
    if (answer === "taken") return undefined;
    if (answer !== "helper ended") return answer;
    // The record is made before the command: where there is none, nothing was started.
    return existsSync(request.record) ? undefined : this.launch({ inheritedEnv, ...given });
  }

  #ask(helper: ChildProcess, request: LaunchRequest): Promise<Launched | "taken" | "helper ended"> {
    return new Promise((resolve, reject) => {
      const id = String(++this.#count);
      this.#pending.set(id, { helper, resolve, reject });
      const possible = process.platform === "linux" ? request : onScript(request);
      helper.stdin?.write(encode(id, unwrapLater(possible, this.#perl, this.env)));
    });
  }

  /** The processes run on, and the helper stays with them until they have ended. */
  async close(): Promise<void> {
    const helper = await this.#helper;
    this.#helper = undefined;
    clearInterval(this.#waking);
    helper?.stdin?.end();
    helper?.stdout?.destroy();
  }

  /** The helper, or a new one if somebody ended it. */
  async #liveHelper(): Promise<ChildProcess | undefined> {
    const starting = (this.#helper ??= this.#startHelper());
    const helper = await starting;
    if (helper === undefined || (helper.exitCode === null && helper.signalCode === null)) return helper;
    if (this.#helper === starting) this.#helper = undefined;
    return this.#liveHelper();
  }

  async #startHelper(): Promise<ChildProcess | undefined> {
    const helper = spawn(this.#perl, ["-e", launcherScript], {
      detached: true,
      stdio: ["pipe", "pipe", "ignore"],
      cwd: "/",
      env: this.env,
    });
    const isStarted = await new Promise<boolean>((resolve) => {
      helper.once("spawn", () => resolve(true));
      helper.once("error", () => resolve(false));
    });
    if (!isStarted) return undefined;
    let rest = "";
    helper.stdout?.setEncoding("utf8").on("data", (text: string) => {
      const lines = (rest + text).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) this.#hear(line, helper);
    });
    helper.stdin?.on("error", () => undefined);
    // Somebody may have stopped it: then it would start nothing, and take note of no end.
    const waking = setInterval(() => helper.kill("SIGCONT"), wakeEveryMs).unref();
    this.#waking = waking;
    helper.once("close", () => {
      clearInterval(waking);
      this.#helperEnded(helper);
    });
    helper.unref();
    return helper;
  }

  #hear(line: string, helper: ChildProcess): void {
    const [what, first = "", second = "", third = ""] = line.split(" ");
    if (what === "ended") {
      this.#running.get(Number(first))?.end(toEnd(Number(second), Number(third)));
      this.#running.delete(Number(first));
      return;
    }
    const pending = this.#pending.get(first);
    this.#pending.delete(first);
    if (what === "started") pending?.resolve(this.#launched(Number(second), helper));
    else if (what === "taken") pending?.resolve("taken");
    else pending?.reject(notStarted(line.slice(`failed ${first} `.length)));
  }

  #launched(pid: number, helper: ChildProcess): Launched {
    return { pid, ended: new Promise((end) => this.#running.set(pid, { helper, end })) };
  }

  /** Somebody ended the helper: its commands run on, but must be looked for, also those that it was just starting. */
  #helperEnded(ended: ChildProcess): void {
    for (const [id, { helper, resolve }] of this.#pending) {
      if (helper === ended && this.#pending.delete(id)) resolve("helper ended");
    }
    for (const [pid, { helper, end }] of this.#running) {
      if (helper === ended && this.#running.delete(pid)) end(undefined);
    }
  }
}

/**
 * The wrapper itself must not be under the influence of whoever gives the command: it has the server's variables, and the command's
 * (LD_PRELOAD, PATH …) come under other names, which are taken off within the wrapper.
 */
function unwrapLater(
  request: LaunchRequest,
  perl: string,
  wrapperEnv: Readonly<Record<string, string>>,
): LaunchRequest {
  const { wrapper, env } = request;
  if (wrapper === undefined) return request;
  const wrapped = Object.entries(env).map(([name, value]) => [
    name === jobVariable || name === attemptVariable ? name : wrappedPrefix + name,
    value,
  ]);
  return {
    ...request,
    argv: [...wrapper.argv, perl, "-e", unwrapScript, "--", ...request.argv],
    env: { ...wrapperEnv, ...(Object.fromEntries(wrapped) as Record<string, string>), PERL_BADLANG: "0" },
  };
}

function encode(id: string, request: LaunchRequest): string {
  const { record, stdin, terminal, stdout, stderr, cwd, argv, wrapper } = request;
  const env = Object.entries(request.env).map(([name, value]) => `${name}=${value}`);
  const frames = stdin.type === "feed" ? stdin.frames : "";
  const size = terminal === undefined ? "" : `${terminal.columns} ${terminal.rows}`;
  const files = [record, stdin.type, size, stdin.path, frames, stdout, stderr];
  const { uid = "", gid = "" } = wrapper?.user ?? {};
  const text = [
    id,
    ...files,
    String(uid),
    String(gid),
    wrapper === undefined ? "" : "1",
    cwd,
    String(env.length),
    ...env,
    ...argv,
  ].join("\0");
  return `${Buffer.byteLength(text)}\n${text}`;
}

function notStarted(why: string): JobFailure {
  return new JobFailure("not_started", `The command could not be started: ${why}.`, { retryable: false });
}
