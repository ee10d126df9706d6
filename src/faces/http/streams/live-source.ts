/** A stretch of a live stream, formatted once for all its readers. */
export interface LiveChunk {
  readonly frame: Buffer;
  /** Where the next stretch begins. */
  readonly next: string;
  readonly isLast: boolean;
}

/** What a reader of a live stream reads, and from where. */
export interface LiveSource {
  /** The same for all that read the same. */
  readonly target: string;
  readonly cursor: string;
  /** What lies after the cursor; waits for it, but not longer than readers can do without a sign of life. */
  readonly read: (cursor: string, signal: AbortSignal) => Promise<LiveChunk>;
}

/** A line that readers ignore: keeps the connection from looking dead. */
export const signOfLife = Buffer.from(": still here\n\n");

export function toFrame(event: { id: string; type: string; data: unknown }): string {
  return `id: ${event.id}\nevent: ${event.type}\ndata: ${JSON.stringify(event.data)}\n\n`;
}

const maxKept = 32;

/**
 * Readers at the same place share one read, and the bytes that it brings. The last few stretches are kept for those a
 * little behind; who is further behind reads for itself.
 */
export class SharedReads {
  readonly #chunks = new Map<string, Promise<LiveChunk>>();

  read({ target, read }: LiveSource, cursor: string, signal: AbortSignal): Promise<LiveChunk> {
    const key = `${target} ${cursor}`;
    const known = this.#chunks.get(key);
    if (known !== undefined) return known;
    const reading = read(cursor, signal);
    this.#chunks.set(key, reading);
    void this.#keepWhileUseful(key, cursor, reading);
    return reading;
  }

  async #keepWhileUseful(key: string, cursor: string, reading: Promise<LiveChunk>): Promise<void> {
    // An end may turn out not to be one, when the job is retried; and a wait in vain says nothing about the next one.
    const isUseful = await reading.then(
      ({ next, isLast }) => !isLast && next !== cursor,
      () => false,
    );
    if (isUseful) this.#evict();
    else this.#chunks.delete(key);
  }

  #evict(): void {
    const [oldest] = this.#chunks.keys();
    if (this.#chunks.size > maxKept && oldest !== undefined) this.#chunks.delete(oldest);
  }
}
