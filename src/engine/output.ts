import type { OutputStream } from "../job/kind.ts";
import type { OutputStore, OutputWriter } from "../store/output-store.ts";
import type { Clock } from "./clock.ts";
import type { Run } from "./run.ts";

const coalesceMs = 50;
const bufferBytes = 64 * 1024;

export interface RunOutput {
  readonly stream: (name: string) => OutputStream;
  /** Writes what is buffered and closes the files. */
  readonly close: () => void;
}

/** The output streams of one attempt; small writes are gathered for a moment and reach the file together. */
export function createRunOutput(run: Run, store: OutputStore, clock: Clock): RunOutput {
  const buffers = new Map<string, StreamBuffer>();
  let isClosed = false;
  return {
    stream: (name) => {
      const address = { id: run.id, attempt: run.job.state.attempt, stream: name };
      const buffer = buffers.get(name) ?? new StreamBuffer(store.writer(address), clock);
      buffers.set(name, buffer);
      return {
        write: (chunk) => {
          if (isClosed) return;
          run.touch();
          buffer.write(typeof chunk === "string" ? Buffer.from(chunk) : chunk);
        },
      };
    },
    close: () => {
      isClosed = true;
      for (const buffer of buffers.values()) buffer.close();
    },
  };
}

class StreamBuffer {
  readonly #writer: OutputWriter;
  readonly #clock: Clock;
  #chunks: Uint8Array[] = [];
  #bytes = 0;
  #cancelTimer: (() => void) | undefined;

  constructor(writer: OutputWriter, clock: Clock) {
    this.#writer = writer;
    this.#clock = clock;
  }

  write(chunk: Uint8Array): void {
    this.#chunks.push(Uint8Array.from(chunk));
    this.#bytes += chunk.length;
    if (this.#bytes >= bufferBytes) this.#flush();
    else this.#cancelTimer ??= this.#clock.after(coalesceMs, () => this.#flush());
  }

  close(): void {
    this.#flush();
    this.#writer.close();
  }

  #flush(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    if (this.#bytes === 0) return;
    const bytes = Buffer.concat(this.#chunks);
    this.#chunks = [];
    this.#bytes = 0;
    this.#writer.append(bytes);
  }
}
