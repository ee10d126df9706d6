import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { JobFailure } from "../../../job/failure.ts";
import type { ParsedPage, ParseRequest, WorkerReply } from "./parse-plan.ts";

export interface ParsePoolOptions {
  readonly threads?: number;
  /** Most time for one page. */
  readonly timeoutMs?: number;
  /** Most memory of one thread. */
  readonly memoryMb?: number;
  /** Where the thread's program lies. */
  readonly file?: URL;
}

export interface ParsePool {
  readonly parse: (request: ParseRequest) => Promise<ParsedPage>;
  readonly close: () => Promise<void>;
}

interface Task {
  readonly request: ParseRequest;
  readonly resolve: (page: ParsedPage) => void;
  readonly reject: (error: unknown) => void;
}

/** A thread gets the next page before it is done with this one, so that it never waits for the main thread. */
const maxAhead = 3;
const maxThreads = 3;

/** Parses pages in threads of their own: a page that takes too long, or too much memory, ends its thread and nothing else. */
export function createParsePool(options: ParsePoolOptions = {}): ParsePool {
  const { timeoutMs = 10_000, memoryMb = 256, file = new URL("./worker.js", import.meta.url) } = options;
  const count = options.threads ?? Math.max(1, Math.min(maxThreads, availableParallelism()));
  const queue: Task[] = [];
  let isClosed = false;
  const threads = Array.from(
    { length: count },
    () => new ParseThread({ file, timeoutMs, memoryMb, next: () => queue.shift() }),
  );
  return {
    parse: (request) =>
      new Promise((resolve, reject) => {
        if (isClosed) return reject(new JobFailure("stopped", "The crawl has ended."));
        queue.push({ request, resolve, reject });
        const idlest = threads.reduce((best, thread) => (thread.load < best.load ? thread : best));
        idlest.fill();
      }),
    close: async () => {
      isClosed = true;
      for (const { reject } of queue.splice(0)) reject(new JobFailure("stopped", "The crawl has ended."));
      await Promise.all(threads.map((thread) => thread.close()));
    },
  };
}

interface ThreadOptions {
  readonly file: URL;
  readonly timeoutMs: number;
  readonly memoryMb: number;
  readonly next: () => Task | undefined;
}

class ParseThread {
  readonly #options: ThreadOptions;
  #worker: Worker;
  #tasks: Task[] = [];
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: ThreadOptions) {
    this.#options = options;
    this.#worker = this.#start();
  }

  get load(): number {
    return this.#tasks.length;
  }

  /** Takes as many tasks as it may hold. */
  fill(): void {
    while (this.#tasks.length < maxAhead) {
      const task = this.#options.next();
      if (task === undefined) return;
      this.#tasks.push(task);
      this.#send(task);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    for (const { reject } of this.#tasks.splice(0)) reject(new JobFailure("stopped", "The crawl has ended."));
    await this.#worker.terminate();
  }

  #start(): Worker {
    const { file, memoryMb } = this.#options;
    const worker = new Worker(file, {
      resourceLimits: { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: 16 },
      // Of the server's environment it needs nothing.
      env: {},
    });
    worker.on("message", (reply: WorkerReply) => this.#settle(reply));
    worker.on("error", (error: NodeJS.ErrnoException) => {
      const isMemory = error.code === "ERR_WORKER_OUT_OF_MEMORY";
      this.#blame(worker, isMemory ? `it needs more than ${memoryMb} MB to be parsed` : error.message);
    });
    return worker;
  }

  /** A copy is handed over: if the thread dies of the page before it, this one is sent again. */
  #send({ request }: Task): void {
    const body = new Uint8Array(request.body);
    this.#worker.postMessage({ ...request, body }, [body.buffer]);
    this.#timer ??= this.#startTimer();
  }

  #startTimer(): NodeJS.Timeout {
    const { timeoutMs } = this.#options;
    return setTimeout(() => this.#blame(this.#worker, `it takes more than ${timeoutMs / 1_000} s to parse`), timeoutMs);
  }

  #settle(reply: WorkerReply): void {
    const task = this.#tasks.shift();
    clearTimeout(this.#timer);
    this.#timer = this.#tasks.length > 0 ? this.#startTimer() : undefined;
    if ("page" in reply) task?.resolve(reply.page);
    else task?.reject(new JobFailure("parse_failed", `The page could not be parsed: ${reply.error}`));
    this.fill();
  }

  /** The page at the front ended the thread. Those behind it go to a new one. */
  #blame(worker: Worker, reason: string): void {
    if (worker !== this.#worker || this.#isClosed) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const [culprit, ...others] = this.#tasks;
    this.#tasks = others;
    this.#worker = this.#start();
    void worker.terminate();
    culprit?.reject(new JobFailure("parse_failed", `The page was given up: ${reason}.`, { retryable: false }));
    for (const task of others) this.#send(task);
    this.fill();
  }
}
