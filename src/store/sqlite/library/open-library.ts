import { existsSync } from "node:fs";
import { Worker } from "node:worker_threads";
import { LonghaulError, type ErrorCode } from "../../../job/error.ts";
import type { Library, LibraryLimits } from "../../../library/library.ts";

export interface LibraryOptions {
  readonly file: string;
  readonly limits: LibraryLimits;
  /** The file was damaged and now lies at `path`; a new one was begun. */
  readonly onMoved: (path: string) => void;
  readonly now: () => number;
  /** Where the thread's program lies. */
  readonly thread?: URL;
}

export interface LibraryThreadData {
  readonly file: string;
  readonly limits: LibraryLimits;
}

type Method = keyof Library;

export interface LibraryCall {
  readonly number: number;
  readonly method: Method;
  readonly args: readonly unknown[];
}

export type LibraryReply =
  | { readonly moved: string }
  | { readonly number: number; readonly value: unknown }
  | { readonly number: number; readonly error: { readonly code: ErrorCode; readonly message: string } };

const memoryMb = 512;
const pruneMs = 3_600_000;

/** A library in a file of its own. Its thread starts with the first call, and anew after one that ended it. */
export function openLibrary(options: LibraryOptions): Library {
  const { file, now } = options;
  const thread = new LibraryThread(options);
  const timer = setInterval(() => {
    // Nobody waits for it, and the next round tries again.
    if (existsSync(file)) thread.call("prune", now()).catch(() => undefined);
  }, pruneMs);
  timer.unref();
  return {
    keep: (page, at) => thread.call("keep", page, at) as Promise<void>,
    search: (request, reader) => thread.call("search", request, reader) as ReturnType<Library["search"]>,
    page: (id, reader) => thread.call("page", id, reader) as ReturnType<Library["page"]>,
    entries: (page, reader) => thread.call("entries", page, reader) as ReturnType<Library["entries"]>,
    entry: (id, reader) => thread.call("entry", id, reader) as ReturnType<Library["entry"]>,
    list: (request, reader) => thread.call("list", request, reader) as ReturnType<Library["list"]>,
    remove: (id, reader) => thread.call("remove", id, reader) as Promise<boolean>,
    prune: (at) => thread.call("prune", at) as Promise<number>,
    close: async () => {
      clearInterval(timer);
      await thread.close();
    },
  };
}

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

class LibraryThread {
  readonly #options: LibraryOptions;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #count = 0;
  #isClosed = false;

  constructor(options: LibraryOptions) {
    this.#options = options;
  }

  call(method: Method, ...args: readonly unknown[]): Promise<unknown> {
    if (this.#isClosed) return Promise.reject(failed("the server is stopping"));
    return new Promise((resolve, reject) => {
      const number = ++this.#count;
      this.#waiting.set(number, { resolve, reject });
      const worker = (this.#worker ??= this.#start());
      worker.ref();
      worker.postMessage({ number, method, args } satisfies LibraryCall, []);
    });
  }

  async close(): Promise<void> {
    const worker = this.#worker;
    if (worker !== undefined) await this.call("close").catch(() => undefined);
    this.#isClosed = true;
    await worker?.terminate();
  }

  #start(): Worker {
    const { file, limits, thread = new URL("./library-thread.js", import.meta.url) } = this.#options;
    const worker = new Worker(thread, {
      workerData: { file, limits } satisfies LibraryThreadData,
      resourceLimits: { maxOldGenerationSizeMb: memoryMb },
      // Of the server's environment it needs nothing.
      env: {},
    });
    worker.on("message", (reply: LibraryReply) => this.#take(reply, worker));
    worker.on("error", (error) => this.#lose(worker, error.message));
    worker.on("exit", () => this.#lose(worker, "its thread ended"));
    return worker;
  }

  #take(reply: LibraryReply, worker: Worker): void {
    if ("moved" in reply) return this.#options.onMoved(reply.moved);
    const waiting = this.#waiting.get(reply.number);
    this.#waiting.delete(reply.number);
    // A process that has nothing else to do may end.
    if (this.#waiting.size === 0) worker.unref();
    if ("error" in reply) waiting?.reject(new LonghaulError(reply.error.code, reply.error.message));
    else waiting?.resolve(reply.value);
  }

  #lose(worker: Worker, reason: string): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    for (const { reject } of this.#waiting.values()) reject(failed(reason));
    this.#waiting.clear();
  }
}

function failed(reason: string): LonghaulError {
  return new LonghaulError("storage_failed", `The design library could not be asked: ${reason}.`);
}
