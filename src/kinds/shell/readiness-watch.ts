import { connect } from "node:net";
import { open } from "node:fs/promises";
import type { JobContext } from "../../job/kind.ts";
import { LonghaulError } from "../../job/error.ts";
import type { PatternPool } from "../../text/pattern-pool.ts";
import type { AttemptFiles } from "./attempt-files.ts";
import type { ReadyCondition } from "./contract.ts";
import { LineBuffer } from "../../text/line-buffer.ts";

/** Says once, in the job's progress, that the command is ready for use. */
export class ReadinessWatch {
  readonly #ready: ReadyCondition | undefined;
  readonly #context: JobContext;
  #scanners: LineScanner[];
  #isLooking = false;
  #isReady = false;

  constructor(
    ready: ReadyCondition | undefined,
    context: JobContext,
    { stdout, stderr }: AttemptFiles,
    patterns: PatternPool,
  ) {
    this.#ready = ready;
    this.#context = context;
    const { pattern } = ready ?? {};
    const some = (lines: readonly string[]): Promise<boolean> =>
      patterns.some(pattern ?? "", lines, { signal: context.signal });
    this.#scanners = pattern === undefined ? [] : [stdout, stderr].map(({ path }) => new LineScanner(path, some));
  }

  get hasCondition(): boolean {
    return this.#ready !== undefined;
  }

  get isReady(): boolean {
    return this.#isReady;
  }

  /** Begins to look, unless it does already: nobody waits for a service that takes its time to answer. */
  look(): void {
    if (this.#ready === undefined || this.#isReady || this.#isLooking) return;
    this.#isLooking = true;
    this.#look(this.#ready)
      .catch((error: unknown) => this.#giveUp(error))
      .finally(() => {
        this.#isLooking = false;
      });
  }

  /** A look that fails is made up for by the next one; a pattern that takes too long would do so again. */
  #giveUp(error: unknown): void {
    if (!(error instanceof LonghaulError) || error.code !== "invalid_input") return;
    this.#scanners = [];
    this.#context.log(`The output is no longer watched: ${error.message}`, "warn");
  }

  async #look(ready: ReadyCondition): Promise<void> {
    const found = await Promise.all([...this.#scanners.map((scanner) => scanner.look()), isAnswering(ready)]);
    if (!found.some(Boolean)) return;
    this.#isReady = true;
    this.#context.progress({ phase: "ready", message: "ready" });
  }
}

const chunkBytes = 64 * 1024;
/** Most that one look reads: a file may grow faster than its lines can be tested. */
const maxChunks = 8;

/** Tests each new line of a growing file once, and its unfinished last line every time. */
class LineScanner {
  readonly #path: string;
  readonly #some: (lines: readonly string[]) => Promise<boolean>;
  readonly #lines = new LineBuffer();
  #offset = 0;

  constructor(path: string, some: (lines: readonly string[]) => Promise<boolean>) {
    this.#path = path;
    this.#some = some;
  }

  /** Whether a line that came since the last look passes. */
  async look(): Promise<boolean> {
    const file = await open(this.#path, "r").catch(() => undefined);
    if (file === undefined) return false;
    try {
      const buffer = Buffer.alloc(chunkBytes);
      for (let chunk = 0; chunk < maxChunks; chunk++) {
        const { bytesRead } = await file.read(buffer, 0, chunkBytes, this.#offset);
        if (bytesRead === 0) break;
        this.#offset += bytesRead;
        if (await this.#some(this.#lines.push(buffer.subarray(0, bytesRead)))) return true;
      }
      return this.#lines.rest !== "" && (await this.#some([this.#lines.rest]));
    } finally {
      await file.close();
    }
  }
}

/** Whether the port or the URL of a condition answers; a pattern is looked for in the output instead. */
async function isAnswering(ready: ReadyCondition): Promise<boolean> {
  if (ready.port !== undefined) return isPortOpen(ready.port);
  if (ready.url === undefined) return false;
  const response = await fetch(ready.url, { signal: AbortSignal.timeout(2_000), redirect: "manual" }).catch(
    () => undefined,
  );
  await response?.body?.cancel();
  return response !== undefined && response.status < 500;
}

function isPortOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: "127.0.0.1", timeout: 1_000 });
    const answer = (isOpen: boolean): void => {
      socket.destroy();
      resolve(isOpen);
    };
    socket.once("connect", () => answer(true));
    socket.once("error", () => answer(false));
    socket.once("timeout", () => answer(false));
  });
}
