import { messageOf } from "../../job/failure.ts";
import type { JobContext } from "../../job/kind.ts";
import type { ChunkLog } from "./chunk-log.ts";
import { RemoteError, type Chunks, type RemoteEndpoint } from "./remote-endpoint.ts";
import { Rhythm } from "./rhythm.ts";

export interface PumpParts {
  readonly remote: RemoteEndpoint;
  readonly remoteId: string;
  readonly chunks: ChunkLog;
  readonly context: JobContext;
  readonly pace: { readonly firstMs: number; readonly maxMs: number };
  readonly onKept: () => void;
  /** Hides secrets in what is said. */
  readonly say: (text: string) => string;
}

/**
 * Takes the chunks of a remote job's stream beside its status: a platform holds a request for chunks until there are some,
 * and the status must not wait for that.
 */
export class ChunkPump {
  readonly #parts: PumpParts;
  readonly #rhythm = new Rhythm();
  #running: Promise<void> | undefined;
  #isEnding = false;

  constructor(parts: PumpParts) {
    this.#parts = parts;
  }

  /** Takes them from now on. */
  start(): void {
    if (this.#running !== undefined) return;
    this.#running = this.#run();
    // Whoever stops it is told.
    this.#running.catch(() => undefined);
  }

  /** Takes the rest: a finished job's chunks are still there, but not for long. */
  async drain(): Promise<void> {
    await this.stop();
    while ((await this.#take()) > 0);
  }

  /** Waits for what is under way: chunks that the platform has given it gives to nobody else. */
  async stop(): Promise<void> {
    this.#isEnding = true;
    void this.#rhythm.ask(0);
    await this.#running;
  }

  async #run(): Promise<void> {
    const { context, pace } = this.#parts;
    for (let pauseMs = pace.firstMs; !this.#isEnding && !context.signal.aborted;) {
      const kept = await this.#take();
      pauseMs = kept > 0 ? pace.firstMs : Math.min(pace.maxMs, pauseMs * 1.5);
      if (!this.#isEnding) await this.#rhythm.pause(pauseMs, context.signal);
    }
  }

  async #take(): Promise<number> {
    const { remote, remoteId, chunks, context, onKept, say } = this.#parts;
    const take = (): Promise<Chunks> => remote.takeChunks(remoteId, chunks.count, context.signal);
    try {
      const kept = await chunks.keep(await take(), take);
      if (kept > 0) onKept();
      return kept;
    } catch (error) {
      if (context.signal.aborted) return 0;
      if (!(error instanceof RemoteError)) throw error;
      // Not every endpoint streams; what the job has come to does not depend on it.
      if (error.isPassing) context.log(say(`its stream could not be read: ${messageOf(error)}`), "warn");
      return 0;
    }
  }
}
