import { Worker } from "node:worker_threads";
import { JobFailure } from "../../../job/failure.ts";
import type { PageFacts } from "../facts.ts";

/** As it came: even decoding it takes longer than the main thread has. */
export interface StaticDocument {
  readonly body: Uint8Array;
  readonly contentType: string;
  readonly base: string;
}

export interface StaticSheets {
  readonly bodies: readonly Uint8Array[];
  readonly unreadable: readonly string[];
}

export interface StaticReply {
  /** Where the style sheets of the page are. */
  readonly sheets?: readonly string[];
  readonly facts?: PageFacts;
}

const timeoutMs = 10_000;
const memoryMb = 512;

/**
 * Reads a page's HTML in a thread of its own. What is looked for in a tree that somebody else made may take any time, so
 * the thread is ended when it takes too much of that, or of memory; nobody else waits for it.
 */
export async function readInThread(
  document: StaticDocument,
  file: URL,
  fetchSheets: (urls: readonly string[]) => Promise<StaticSheets>,
  signal: AbortSignal,
): Promise<PageFacts> {
  signal.throwIfAborted();
  const worker = new Worker(file, { workerData: document, resourceLimits: { maxOldGenerationSizeMb: memoryMb } });
  try {
    const { sheets } = await nextReply(worker, signal);
    const given = await fetchSheets(sheets ?? []);
    const reply = nextReply(worker, signal);
    worker.postMessage(given, []);
    const { facts } = await reply;
    if (facts === undefined) throw tooComplex("it could not be read");
    return facts;
  } finally {
    await worker.terminate();
  }
}

function nextReply(worker: Worker, signal: AbortSignal): Promise<StaticReply> {
  const done = new AbortController();
  return new Promise<StaticReply>((resolve, reject) => {
    const timer = setTimeout(() => reject(tooComplex(`it takes longer than ${timeoutMs / 1_000} s`)), timeoutMs);
    const onAbort = (): void => reject(signal.reason as Error);
    const onError = ({ message }: Error): void => reject(tooComplex(message));
    const onExit = (): void => reject(tooComplex("it ended early"));
    worker.once("message", resolve).once("error", onError).once("exit", onExit);
    signal.addEventListener("abort", onAbort, { once: true });
    done.signal.addEventListener("abort", () => {
      clearTimeout(timer);
      worker.off("message", resolve).off("error", onError).off("exit", onExit);
      signal.removeEventListener("abort", onAbort);
    });
  }).finally(() => done.abort());
}

function tooComplex(reason: string): JobFailure {
  return new JobFailure("too_complex", `The page's HTML could not be read without a browser: ${reason}.`, {
    retryable: false,
  });
}
