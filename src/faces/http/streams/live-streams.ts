import { setMaxListeners } from "node:events";
import type { ServerResponse } from "node:http";
import type { Actor } from "../../../engine/access.ts";
import { LonghaulError } from "../../../job/error.ts";
import { QuietClock, Shares } from "../../door/shares.ts";
import { SharedReads, type LiveSource } from "./live-source.ts";
import { HttpError } from "../../door/http-error.ts";
import { safetyHeaders } from "../../door/answer.ts";

interface LiveStreamsLimits {
  readonly maxReaders: number;
  /** A reader that takes nothing for so long is dropped. */
  readonly drainMs: number;
}

/** How soon a reader whose connection broke comes back. */
const greeting = "retry: 1000\n\n";

/** The open event streams. A reader is given the next stretch only when it has taken the one before, so none piles up. */
export class LiveStreams {
  readonly #limits: LiveStreamsLimits;
  readonly #reads = new SharedReads();
  readonly #open = new Set<ServerResponse>();
  readonly #shares: Shares;
  readonly #closing = new AbortController();

  constructor(limits: LiveStreamsLimits) {
    this.#limits = limits;
    this.#shares = new Shares(limits.maxReaders);
    setMaxListeners(0, this.#closing.signal);
  }

  get size(): number {
    return this.#open.size;
  }

  /** Answers with the stream; it goes on by itself until its end, its reader's, or the server's. */
  start(response: ServerResponse, source: LiveSource, actor: Actor): void {
    if (this.#closing.signal.aborted) throw new LonghaulError("stopped", "The server is stopping.");
    const clock = new QuietClock();
    const release = this.#shares.take(actor, { idleSince: () => clock.idleSince(), end: () => response.end() });
    if (typeof release === "string") throw refusal(release, this.#open.size);
    this.#open.add(response);
    response.once("close", () => {
      this.#open.delete(response);
      release();
    });
    response.writeHead(200, { ...safetyHeaders, "content-type": "text/event-stream", "x-accel-buffering": "no" });
    response.write(greeting);
    this.#pump(response, source, clock).then(
      () => response.end(),
      // Nobody can be told any more: the reader comes back, and learns then what is wrong.
      () => response.destroy(),
    );
  }

  close(): void {
    this.#closing.abort();
    for (const response of this.#open) response.end();
  }

  async #pump(response: ServerResponse, source: LiveSource, clock: QuietClock): Promise<void> {
    let { cursor } = source;
    for (;;) {
      const chunk = await this.#reads.read(source, cursor, this.#closing.signal);
      if (response.writableEnded || response.destroyed) return;
      const isTaken = response.write(chunk.frame) || (await isDrained(response, this.#limits.drainMs));
      if (!isTaken) throw new Error("the reader has stopped reading");
      if (chunk.isLast) return;
      // What says only that the stream is alive is nothing new.
      if (chunk.next !== cursor) clock.told();
      cursor = chunk.next;
    }
  }
}

function refusal(why: "share" | "all", count: number): HttpError {
  const later = { "retry-after": "5" };
  return why === "all"
    ? new HttpError(503, "too_many_readers", `There are already ${count} readers; try again later.`, later)
    : new HttpError(
        429,
        "too_many_readers",
        "This token or owner has too many open streams; close some of them.",
        later,
      );
}

/** False when what was written is not taken in time. */
export function isDrained(response: ServerResponse, patienceMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const settle = (isTaken: boolean): void => {
      clearTimeout(timer);
      response.off("drain", onDrain);
      response.off("close", onClose);
      resolve(isTaken);
    };
    const onDrain = (): void => settle(true);
    const onClose = (): void => settle(false);
    const timer = setTimeout(onClose, patienceMs);
    response.once("drain", onDrain);
    response.once("close", onClose);
  });
}
