import { open } from "node:fs/promises";
import { stripVTControlCharacters } from "node:util";
import type { JobContext } from "../../job/kind.ts";
import type { OutputFile } from "../../job/output.ts";
import { countText } from "../../text/count-text.ts";
import type { Json } from "../../job/json.ts";
import type { Redactor } from "../../text/redact.ts";
import type { AttemptFiles } from "./attempt-files.ts";
import { Interleaving } from "./interleaving.ts";
import type { ProcessEnd } from "./process-record.ts";
import { isGroupAlive, isReadingInput, listGroup, listListeningPorts, listTree } from "./process-tree.ts";
import type { ReadinessWatch } from "./readiness-watch.ts";

const lastLineBytes = 2_000;
/** A command that has just begun often says something at once. */
const firstLookMs = 5;
const fastestLookMs = 40;
const slowestLookMs = 500;
/** Processor time counts as a sign of life; it is looked at only now and then. */
const processorLookMs = 5_000;

/** Watches a command that runs by itself: its output, its end, its children. */
export class Supervisor {
  readonly #context: JobContext;
  readonly #group: number | undefined;
  readonly #readiness: ReadinessWatch;
  readonly #stdout: OutputFile;
  readonly #stderr: OutputFile;
  readonly #interleaving: Interleaving;
  readonly #processorLookMs: number;
  #looking: Promise<void> | undefined;
  #wake: (() => void) | undefined;
  #lookMs = firstLookMs;
  #sizes = { stdout: -1, stderr: -1 };
  #processor = { at: performance.now(), ms: 0 };
  lastOutputAt: number | undefined;

  constructor(context: JobContext, files: AttemptFiles, group: number | undefined, readiness: ReadinessWatch) {
    this.#context = context;
    this.#group = group;
    this.#readiness = readiness;
    this.#stdout = files.stdout;
    this.#stderr = files.stderr;
    this.#interleaving = new Interleaving(context.output("order"));
    // Often enough for the watchdog, which warns at half of the limit.
    this.#processorLookMs = Math.min(processorLookMs, (context.limits.idleMs ?? Infinity) / 4);
  }

  /** Waits for the main process. Undefined if nobody saw how it ended. */
  async untilMainEnds(ended: Promise<ProcessEnd | undefined>): Promise<ProcessEnd | undefined> {
    let answer: { end: ProcessEnd | undefined } | undefined;
    const listen = async (): Promise<void> => {
      answer = { end: await ended };
      this.#wake?.();
    };
    void listen();
    for (;;) {
      await this.#pause(() => answer !== undefined);
      this.#context.signal.throwIfAborted();
      if (answer !== undefined) return answer.end;
      await this.look();
    }
  }

  /** Waits for the rest of the process group, and says in the status that it does. */
  async untilChildrenEnd(end: ProcessEnd | undefined): Promise<void> {
    let told = "";
    while (this.#group !== undefined && (await isGroupAlive(this.#group))) {
      const count = (await listGroup(this.#group)).length;
      const message = `exited ${end?.exitCode ?? "?"}, ${countText(count, "child process", "child processes")} still running`;
      const phase = this.#readiness.isReady ? "ready" : "children";
      if (count > 0 && message !== told) this.#context.progress({ phase, message });
      told = message;
      await this.#pause();
      this.#context.signal.throwIfAborted();
      await this.look();
    }
  }

  /** Undefined if there is no way to tell. */
  get isReady(): boolean | undefined {
    return this.#readiness.hasCondition ? this.#readiness.isReady : undefined;
  }

  /** Looks soon: something was done that the command may answer. */
  stir(): void {
    this.#lookMs = firstLookMs;
    this.#wake?.();
  }

  /** Tells readers of new output, keeps it within its cap, and lets processor time count as life. */
  look(): Promise<void> {
    // One at a time: two that cut the same file would get in each other's way.
    this.#looking ??= this.#lookOnce().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  async #lookOnce(): Promise<void> {
    const [stdout, stderr] = await Promise.all([this.#stdout.grown(), this.#stderr.grown()]);
    const hasGrown = stdout.size !== this.#sizes.stdout || stderr.size !== this.#sizes.stderr;
    this.#interleaving.note(stdout.size, stderr.size);
    if (hasGrown) {
      if (stdout.size + stderr.size > 0) this.lastOutputAt = this.#context.now();
      this.#sizes = { stdout: stdout.size, stderr: stderr.size };
    }
    this.#lookMs = hasGrown ? fastestLookMs : Math.min(slowestLookMs, this.#lookMs * 1.5);
    this.#readiness.look();
    if (!hasGrown && performance.now() - this.#processor.at > this.#processorLookMs) await this.#lookAtProcessor();
  }

  /** The last line of whichever stream grew last, for a status: without control characters. */
  async readLastLine(): Promise<string> {
    const { path } = this.#interleaving.growing === "stderr" ? this.#stderr : this.#stdout;
    const file = await open(path, "r").catch(() => undefined);
    if (file === undefined) return "";
    try {
      const { size } = await file.stat();
      const length = Math.min(size, lastLineBytes);
      const { buffer } = await file.read(Buffer.alloc(length), 0, length, size - length);
      const lines = stripVTControlCharacters(buffer.toString()).split(/[\r\n]+/);
      return lines.findLast((line) => line.trim() !== "") ?? "";
    } finally {
      await file.close();
    }
  }

  async #lookAtProcessor(): Promise<void> {
    const processes = this.#group === undefined ? [] : await listTree(this.#group);
    const ms = processes.reduce((sum, { cpuMs }) => sum + cpuMs, 0);
    // Less than before is a sign of life too: a process has ended.
    if (ms !== this.#processor.ms) this.#context.touch();
    this.#processor = { at: performance.now(), ms };
  }

  /** Until the next look is due, somebody wakes us, or the attempt is told to stop. */
  #pause(isOver: () => boolean = () => false): Promise<void> {
    const { signal } = this.#context;
    if (isOver() || signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        signal.removeEventListener("abort", done);
        this.#wake = undefined;
        resolve();
      };
      const timer = setTimeout(done, this.#lookMs);
      signal.addEventListener("abort", done);
      this.#wake = done;
    });
  }
}

const longestLastLine = 200;

/** What only a look at the live processes can tell. */
export async function inspectCommand(
  { group, stdin }: { group: number | undefined; stdin: string },
  supervisor: Supervisor,
  redactor: Redactor,
): Promise<Record<string, Json>> {
  await supervisor.look();
  const processes = group === undefined ? [] : await listTree(group);
  const pids = processes.map(({ pid }) => pid);
  const [ports, isReading] = await Promise.all([listListeningPorts(pids), isReadingInput(pids, stdin)]);
  return {
    pid: group ?? null,
    processes: processes.length,
    cpu_ms: processes.reduce((sum, { cpuMs }) => sum + cpuMs, 0),
    memory_bytes: processes.reduce((sum, { memoryBytes }) => sum + memoryBytes, 0),
    ports,
    reads_input: isReading,
    ...(supervisor.isReady === undefined ? {} : { is_ready: supervisor.isReady }),
    last_output_at: supervisor.lastOutputAt ?? null,
    last_line: redactor.text(await supervisor.readLastLine()).slice(-longestLastLine),
  };
}
