import { open } from "node:fs/promises";
import { stripVTControlCharacters } from "node:util";
import type { JobContext } from "../../job/kind.ts";
import { Interleaving } from "./interleaving.ts";
import type { Launched, ProcessEnd } from "./launcher.ts";
import { isSameProcess, readEnd, type ProcessRecord } from "./process-record.ts";
import { isGroupAlive, listGroup } from "./process-tree.ts";

const lastLineBytes = 2_000;
const longestLastLine = 200;
const fastestLookMs = 40;
const slowestLookMs = 500;
/** Processor time counts as a sign of life; it is looked at only now and then. */
const cpuLookMs = 5_000;

/** Watches a command that runs by itself: its output, its end, its children. */
export class Supervisor {
  readonly #context: JobContext;
  readonly #folder: string;
  readonly #group: number;
  readonly #stdout;
  readonly #stderr;
  readonly #interleaving: Interleaving;
  #lookMs = fastestLookMs;
  #sizes = { stdout: -1, stderr: -1 };
  #cpu = { at: performance.now(), ms: 0 };
  lastOutputAt: number | undefined;

  constructor(context: JobContext, folder: string, group: number) {
    this.#context = context;
    this.#folder = folder;
    this.#group = group;
    this.#stdout = context.outputFile("stdout");
    this.#stderr = context.outputFile("stderr");
    this.#interleaving = new Interleaving(context.output("order"));
  }

  /** Waits for the main process, as its parent where this server started it, else by looking. */
  async untilMainEnds(main: Launched | ProcessRecord, onLook: () => Promise<void>): Promise<ProcessEnd> {
    const ended = "ended" in main ? main.ended : undefined;
    for (;;) {
      const end = await this.#pause(ended);
      this.#context.signal.throwIfAborted();
      if (end !== undefined) return this.#readEnd(end);
      if ("startTime" in main && !(await isSameProcess(main))) return this.#readEnd(undefined);
      await this.look();
      await onLook();
    }
  }

  /** Waits for the rest of the process group, and says in the status that it does. */
  async untilChildrenEnd(end: ProcessEnd): Promise<void> {
    while (isGroupAlive(this.#group)) {
      const count = (await listGroup(this.#group)).length;
      if (count > 0) {
        const rest = `${count} child ${count === 1 ? "process" : "processes"} still running`;
        this.#context.progress({ phase: "children", message: `exited ${end.exitCode ?? end.signal ?? "?"}, ${rest}` });
      }
      await this.#pause(undefined);
      this.#context.signal.throwIfAborted();
      await this.look();
    }
  }

  /** Tells readers of new output, keeps it within its cap, and lets processor time count as life. */
  async look(): Promise<void> {
    const [stdout, stderr] = await Promise.all([this.#stdout.grown(), this.#stderr.grown()]);
    const hasGrown = stdout.size !== this.#sizes.stdout || stderr.size !== this.#sizes.stderr;
    if (hasGrown) {
      if (stdout.size + stderr.size > 0) this.lastOutputAt = this.#context.now();
      this.#interleaving.note(stdout.size, stderr.size);
      this.#sizes = { stdout: stdout.size, stderr: stderr.size };
    }
    this.#lookMs = hasGrown ? fastestLookMs : Math.min(slowestLookMs, this.#lookMs * 1.5);
    if (!hasGrown && performance.now() - this.#cpu.at > cpuLookMs) await this.#lookAtProcessor();
  }

  /** The last line of whichever stream grew last, for a status: short and without control characters. */
  async readLastLine(): Promise<string> {
    const { path } = this.#interleaving.growing === "stderr" ? this.#stderr : this.#stdout;
    const file = await open(path, "r");
    try {
      const { size } = await file.stat();
      const length = Math.min(size, lastLineBytes);
      const { buffer } = await file.read(Buffer.alloc(length), 0, length, size - length);
      const lines = stripVTControlCharacters(buffer.toString()).split(/[\r\n]+/);
      return (lines.findLast((line) => line.trim() !== "") ?? "").slice(-longestLastLine);
    } finally {
      await file.close();
    }
  }

  async #lookAtProcessor(): Promise<void> {
    const processes = await listGroup(this.#group);
    const ms = processes.reduce((sum, { cpuMs }) => sum + cpuMs, 0);
    if (ms > this.#cpu.ms) this.#context.touch();
    this.#cpu = { at: performance.now(), ms };
  }

  /** What the wrapper wrote down, else what its parent saw. */
  #readEnd(seen: ProcessEnd | undefined): ProcessEnd {
    const written = readEnd(this.#folder);
    return written.exitCode === undefined && seen !== undefined ? seen : written;
  }

  /** Until the next look is due, the command has ended, or the attempt is told to stop. */
  #pause(ended: Promise<ProcessEnd> | undefined): Promise<ProcessEnd | undefined> {
    const { signal } = this.#context;
    return new Promise((resolve) => {
      const wake = (): void => done(undefined);
      const timer = setTimeout(wake, this.#lookMs);
      const done = (end: ProcessEnd | undefined): void => {
        clearTimeout(timer);
        signal.removeEventListener("abort", wake);
        resolve(end);
      };
      signal.addEventListener("abort", wake);
      if (ended !== undefined) void whenEnded(ended, done);
    });
  }
}

async function whenEnded(ended: Promise<ProcessEnd>, tell: (end: ProcessEnd) => void): Promise<void> {
  tell(await ended);
}
