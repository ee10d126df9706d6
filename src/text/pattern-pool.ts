import { createRequire } from "node:module";
import { Worker } from "node:worker_threads";
import { BoundedMap } from "../job/bounded-map.ts";
import { LonghaulError } from "../job/error.ts";
import { compileProgram, showPattern, type CompiledPattern } from "./pattern.ts";
import { answerInThread, type PatternReply, type PatternRequest } from "./pattern-thread.ts";

export interface PatternPoolOptions {
  readonly threads?: number;
  /** Most time for one question, once it is its turn. */
  readonly timeoutMs?: number;
  /** A thread that nobody needs for so long is ended. */
  readonly idleMs?: number;
}

export interface SearchOptions {
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
}

/**
 * Tests texts by patterns of others. What may take long is done in threads: one that takes too long is ended, and refused as `invalid_input`.
 * Threads start when they are first needed, and keep no process alive.
 */
export interface PatternPool {
  /** Refuses a pattern that is none, or is too big. */
  readonly check: (pattern: string) => void;
  /** The places of the texts that a pattern of RE2 matches. Each is one line: much fewer pieces are handed to a thread so. */
  readonly search: (pattern: string, texts: readonly string[], options?: SearchOptions) => Promise<PatternReply>;
  /** Whether one of the texts matches; false when the signal comes first. */
  readonly some: (pattern: string, texts: readonly string[], options?: SearchOptions) => Promise<boolean>;
  /** The places of the rules, which are the configuration's and may backtrack, that match the text. */
  readonly matchRules: (rules: readonly RegExp[], text: string, options?: SearchOptions) => Promise<PatternReply>;
  readonly close: () => Promise<void>;
}

/** Instructions times characters: less takes a few milliseconds at most, and asking a thread would take longer. */
const maxStepsHere = 50_000;
const maxTextsHere = 500;
const maxRemembered = 16;

export function createPatternPool(options: PatternPoolOptions = {}): PatternPool {
  const threads = new PatternThreads({ threads: 2, timeoutMs: 5_000, idleMs: 10_000, ...options });
  const remembered = new BoundedMap<string, CompiledPattern>(maxRemembered);
  const compile = (pattern: string): CompiledPattern => {
    const known = remembered.get(pattern) ?? compileProgram(pattern);
    remembered.set(pattern, known);
    return known;
  };
  const search: PatternPool["search"] = async (pattern, texts, { signal, timeoutMs } = {}) => {
    if (isLiteral(pattern)) return placesOf(texts, (text) => text.includes(pattern));
    const { programSize, test } = compile(pattern);
    const characters = texts.reduce((sum, text) => sum + text.length, 0);
    if (texts.length <= maxTextsHere && programSize * characters <= maxStepsHere) return placesOf(texts, test);
    return threads.ask({ pattern, lines: texts.join("\n") }, `The pattern ${showPattern(pattern)}`, {
      signal,
      timeoutMs,
    });
  };
  return {
    check: (pattern) => void compile(pattern),
    search,
    some: async (pattern, texts, given = {}) => {
      const found = await search(pattern, texts, given).catch((error: unknown) => {
        if (given.signal?.aborted === true) return [];
        throw error;
      });
      return found.length > 0;
    },
    matchRules: async (rules, text, { signal, timeoutMs } = {}) => {
      if (rules.length === 0) return [];
      return threads.ask({ rules, text }, "A rule of the configuration", { signal, timeoutMs });
    },
    close: () => threads.close(),
  };
}

function isLiteral(pattern: string): boolean {
  return /^[\w\s"'#%&,/:;<=>@`~!-]+$/.test(pattern);
}

function placesOf(texts: readonly string[], test: (text: string) => boolean): number[] {
  return texts.flatMap((text, place) => (test(text) ? [place] : []));
}

interface Task {
  readonly request: PatternRequest;
  readonly subject: string;
  readonly timeoutMs: number;
  readonly resolve: (reply: PatternReply) => void;
  readonly reject: (error: unknown) => void;
}

type AskOptions = { readonly signal: AbortSignal | undefined; readonly timeoutMs: number | undefined };

class PatternThreads {
  readonly #options: Required<PatternPoolOptions>;
  readonly #queue: Task[] = [];
  readonly #threads = new Map<PatternThread, Task | undefined>();
  #isClosed = false;

  constructor(options: Required<PatternPoolOptions>) {
    this.#options = options;
  }

  ask(request: PatternRequest, subject: string, { signal, timeoutMs }: AskOptions): Promise<PatternReply> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) return reject(new LonghaulError("stopped", "The server is stopping."));
      if (signal?.aborted === true) return reject(signal.reason);
      const leave = (): void => this.#end(task, signal?.reason);
      const settle =
        <Value>(act: (value: Value) => void) =>
        (value: Value): void => {
          signal?.removeEventListener("abort", leave);
          act(value);
        };
      const limitMs = timeoutMs ?? this.#options.timeoutMs;
      const task = { request, subject, timeoutMs: limitMs, resolve: settle(resolve), reject: settle(reject) };
      signal?.addEventListener("abort", leave);
      this.#queue.push(task);
      this.#dispatch();
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const stopped = new LonghaulError("stopped", "The server is stopping.");
    for (const task of [...this.#queue, ...this.#threads.values()]) if (task !== undefined) this.#end(task, stopped);
    await Promise.all([...this.#threads.keys()].map((thread) => thread.close()));
  }

  #dispatch(): void {
    while (this.#queue.length > 0) {
      const thread = this.#findIdle();
      const task = thread === undefined ? undefined : this.#queue.shift();
      if (thread === undefined || task === undefined) return;
      this.#threads.set(thread, task);
      thread.run(task.request, {
        timeoutMs: task.timeoutMs,
        onReply: (reply) => {
          this.#threads.set(thread, undefined);
          task.resolve(reply);
          this.#dispatch();
        },
        onLate: () => this.#end(task, tooSlow(task)),
        onError: (error) => this.#end(task, brokenBy(task, error)),
      });
    }
  }

  #findIdle(): PatternThread | undefined {
    for (const [thread, task] of this.#threads) if (task === undefined) return thread;
    if (this.#threads.size >= this.#options.threads) return undefined;
    const thread: PatternThread = new PatternThread(this.#options.idleMs, () => this.#threads.delete(thread));
    this.#threads.set(thread, undefined);
    return thread;
  }

  /** A thread that is at it can be stopped only by ending it. */
  #end(task: Task, reason: unknown): void {
    const waiting = this.#queue.indexOf(task);
    if (waiting !== -1) this.#queue.splice(waiting, 1);
    for (const [thread, busyWith] of this.#threads) {
      if (busyWith !== task) continue;
      this.#threads.delete(thread);
      void thread.close();
    }
    task.reject(reason);
    this.#dispatch();
  }
}

function tooSlow({ subject, timeoutMs }: Task): LonghaulError {
  return new LonghaulError(
    "invalid_input",
    `${subject} took too long on this text (more than ${Math.round(timeoutMs / 100) / 10} s): make it simpler, or search less.`,
  );
}

function brokenBy({ subject }: Task, cause: Error): LonghaulError {
  return new LonghaulError("invalid_input", `${subject} cannot be tried on this text: ${cause.message}.`, { cause });
}

interface ThreadRun {
  readonly timeoutMs: number;
  readonly onReply: (reply: PatternReply) => void;
  readonly onLate: () => void;
  readonly onError: (error: Error) => void;
}

const program = `(${answerInThread.toString()})(require("node:worker_threads").parentPort, require(require("node:worker_threads").workerData))`;

class PatternThread {
  readonly #worker: Worker;
  readonly #idleMs: number;
  readonly #onIdle: () => void;
  #run: ThreadRun | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(idleMs: number, onIdle: () => void) {
    this.#idleMs = idleMs;
    this.#onIdle = onIdle;
    this.#worker = new Worker(program, {
      eval: true,
      workerData: createRequire(import.meta.url).resolve("re2js"),
      resourceLimits: { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16 },
      // Of the server's environment it needs nothing.
      env: {},
    });
    this.#worker.on("message", (reply: PatternReply) => {
      const run = this.#run;
      this.#rest();
      run?.onReply(reply);
    });
    this.#worker.on("error", (error) => this.#run?.onError(error));
    this.#worker.on("exit", onIdle);
    this.#worker.unref();
  }

  run(request: PatternRequest, run: ThreadRun): void {
    clearTimeout(this.#timer);
    this.#run = run;
    this.#worker.ref();
    this.#timer = setTimeout(run.onLate, run.timeoutMs);
    this.#worker.postMessage(request, []);
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    this.#run = undefined;
    await this.#worker.terminate();
  }

  /** Waits for the next question, and not for ever. */
  #rest(): void {
    clearTimeout(this.#timer);
    this.#run = undefined;
    this.#worker.unref();
    this.#timer = setTimeout(() => {
      this.#onIdle();
      void this.close();
    }, this.#idleMs).unref();
  }
}
