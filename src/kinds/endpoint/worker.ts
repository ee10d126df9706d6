import { spawn, type ChildProcess } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import type { Writable } from "node:stream";
import { messageOf } from "../../job/failure.ts";
import type { Json } from "../../job/json.ts";
import { ByteLines } from "../../text/byte-lines.ts";
import { isGroupAlive, signalProcess } from "../shell/process-tree.ts";
import { tryParseJson } from "../../text/parse-json.ts";

export interface WorkerCommand {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** What becomes of a job that a worker was given. */
export type WorkerReply =
  | { readonly type: "output"; readonly output: Json }
  | { readonly type: "error"; readonly error: Json }
  /** The worker has ended, or said what cannot be understood, without a reply. */
  | { readonly type: "broken"; readonly why: string; readonly exitCode: number | null; readonly signal: string | null };

export interface WorkerListener {
  readonly onMessage: (message: Exclude<WorkerMessage, { type: "output" | "error" }>) => void;
  readonly onError: (text: string) => void;
}

const maxLineBytes = 25_000_000;
/** What a process has written may still be on its way when it has ended. */
const drainMs = 500;
const killPatienceMs = 5_000;
const lastWordsLength = 300;

/**
 * The command leads a process group. Beside it waits a guard for the end of the server, whatever ends it: the worker's
 * input ends then too, and what is left of the group two seconds later is killed.
 */
const guardScript = `(read -r _ <&3; sleep 2; kill -KILL 0) </dev/null >/dev/null 2>&1 & exec 3<&-; exec "$@"`;

/** A process that takes jobs, one at a time, as lines of JSON. */
export class Worker {
  readonly #child: ChildProcess;
  readonly #ended: Promise<WorkerEnd>;
  #job: { id: string; listener: WorkerListener; reply: (reply: WorkerReply) => void } | undefined;
  #lastWords = "";
  #end: WorkerEnd | undefined;
  #ending: Promise<void> | undefined;

  private constructor(child: ChildProcess) {
    this.#child = child;
    this.#ended = awaitEnd(child).then((end) => {
      this.#end = end;
      this.#reply({ type: "broken", why: this.#describeEnd(end), ...end });
      return end;
    });
    const lines = new ByteLines(maxLineBytes);
    child.stdout?.on("data", (bytes: Buffer) => lines.push(bytes).forEach((line) => this.#hear(line)));
    child.stdout?.on("end", () => lines.rest().forEach((line) => this.#hear(line)));
    child.stderr?.on("data", (bytes: Buffer) => this.#hearError(bytes.toString()));
    // Whoever is gone does not read: that it is shows by its end.
    for (const stream of child.stdio) stream?.on("error", () => undefined);
  }

  /** Rejects if the command cannot be started at all. */
  static async start({ argv, cwd, env }: WorkerCommand): Promise<Worker> {
    const child = spawn("sh", ["-c", guardScript, "sh", ...argv], {
      cwd,
      env,
      detached: true,
      stdio: ["pipe", "pipe", "pipe", "pipe"],
    });
    const worker = new Worker(child);
    await new Promise<void>((resolve, reject) => {
      child.once("spawn", resolve);
      child.once("error", (error) => reject(new Error(`${messageOf(error)} (in ${cwd})`)));
    });
    return worker;
  }

  get hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Resolves when the process is gone, also if nobody asked it to go. */
  get ended(): Promise<unknown> {
    return this.#ended;
  }

  /** Gives it a job. `isLast` tells it that no other comes after. */
  run(job: { id: string; input: Json }, listener: WorkerListener, isLast: boolean): Promise<WorkerReply> {
    return new Promise((reply) => {
      this.#job = { id: job.id, listener, reply };
      if (this.#end !== undefined) this.#reply({ type: "broken", why: this.#describeEnd(this.#end), ...this.#end });
      this.#lastWords = "";
      this.#child.stdin?.write(`${JSON.stringify(job)}\n`);
      if (isLast) this.#child.stdin?.end();
    });
  }

  /** Tells it to give up its job; whether it does shows in its reply. */
  cancel(id: string): void {
    this.#child.stdin?.write(`${JSON.stringify({ id, cancel: true })}\n`);
  }

  /** Ends the process and all of its group: lets it end by itself, asks it to, and kills it, so many milliseconds apart. */
  end(patience: EndPatience): Promise<void> {
    // Once: when the group is gone, another may get its number.
    return (this.#ending ??= this.#endAll(patience));
  }

  async #endAll({ waitMs, termMs }: EndPatience): Promise<void> {
    const { pid } = this.#child;
    this.#child.stdin?.end();
    await this.#within(waitMs);
    if (pid === undefined) return;
    if (!this.hasEnded) {
      signalProcess(-pid, "SIGTERM");
      await this.#within(termMs);
    }
    // Also when the process has gone: its guard, and whatever it has started, have not.
    signalProcess(-pid, "SIGKILL");
    const giveUpAt = performance.now() + killPatienceMs;
    while ((await isGroupAlive(pid)) && performance.now() < giveUpAt) await delay(10);
    (this.#child.stdio[3] as Writable | null)?.destroy();
    await this.#ended;
  }

  #within(ms: number): Promise<unknown> {
    return ms === 0 || this.hasEnded
      ? Promise.resolve()
      : Promise.race([this.#ended, delay(ms, undefined, { ref: false })]);
  }

  #hear({ text, isCut }: { text: string; isCut: boolean }): void {
    const job = this.#job;
    if (job === undefined) return;
    if (isCut) {
      const why = `the worker wrote a line of more than ${maxLineBytes} bytes`;
      this.#reply({ type: "broken", why, exitCode: null, signal: null });
      return;
    }
    const message = readMessage(text, job.id);
    if (message.type === "output" || message.type === "error") this.#reply(message);
    else job.listener.onMessage(message);
    if (message.type === "log") this.#remember(text);
  }

  #hearError(text: string): void {
    this.#remember(text);
    this.#job?.listener.onError(text);
  }

  #remember(text: string): void {
    this.#lastWords = `${this.#lastWords}${text}`.slice(-lastWordsLength * 4);
  }

  #reply(reply: WorkerReply): void {
    const job = this.#job;
    this.#job = undefined;
    job?.reply(reply);
  }

  #describeEnd({ exitCode, signal }: WorkerEnd): string {
    const how = signal === null ? `with exit code ${exitCode ?? "?"}` : `by ${signal}`;
    const last = this.#lastWords.trim().split("\n").at(-1)?.slice(-lastWordsLength) ?? "";
    return `the worker ended ${how} without a result${last === "" ? "" : `: ${last}`}`;
  }
}

interface EndPatience {
  readonly waitMs: number;
  readonly termMs: number;
}

interface WorkerEnd {
  readonly exitCode: number | null;
  readonly signal: string | null;
}

/** Resolves when the process has ended and all that it wrote is read; children that hold its output are not waited for. */
function awaitEnd(child: ChildProcess): Promise<WorkerEnd> {
  return new Promise((resolve) => {
    const isRead = Promise.all(
      [child.stdout, child.stderr].map((stream) => new Promise((read) => stream?.once("close", read))),
    );
    child.once("exit", (exitCode, signal) => {
      void Promise.race([isRead, delay(drainMs, undefined, { ref: false })]).then(() => resolve({ exitCode, signal }));
    });
  });
}

/** What a worker says with one line of its output. */
type WorkerMessage =
  | { readonly type: "progress"; readonly progress: Json }
  | { readonly type: "stream"; readonly chunk: Json }
  | { readonly type: "output"; readonly output: Json }
  | { readonly type: "error"; readonly error: Json }
  /** Not a message: something for people to read. */
  | { readonly type: "log"; readonly text: string };

/** A line is a message if it is a JSON object with one of the known keys; one that names another job is none of this job's. */
function readMessage(line: string, jobId: string): WorkerMessage {
  const said = line.startsWith("{") ? (tryParseJson(line) as Record<string, Json> | undefined) : undefined;
  if (said === undefined || (said["id"] !== undefined && said["id"] !== jobId)) return { type: "log", text: line };
  if (said["output"] !== undefined) return { type: "output", output: said["output"] };
  if (said["error"] !== undefined) return { type: "error", error: said["error"] };
  if (said["stream"] !== undefined) return { type: "stream", chunk: said["stream"] };
  if (said["progress"] !== undefined) return { type: "progress", progress: said["progress"] };
  return { type: "log", text: line };
}
