import type { OutputStream } from "../job/kind.ts";
import type { OutputStore, OutputWriter } from "../store/output-store.ts";
import type { Clock } from "./clock.ts";
import type { HeldAttempt } from "./attempt.ts";

const coalesceMs = 50;
const bufferBytes = 64 * 1024;

export interface AttemptOutput {
  readonly stream: (name: string) => OutputStream;
  /** Writes what is buffered and closes the files. */
  readonly close: () => void;
}

/** Lines that say which stream grew to which offset: as soon as there are two, their order is worth knowing. */
const orderStream = "order";

/** The output streams of one attempt; small writes are gathered for a moment and reach the file together. */
export function createAttemptOutput(run: HeldAttempt, store: OutputStore, clock: Clock): AttemptOutput {
  const buffers = new Map<string, StreamBuffer>();
  let isClosed = false;
  const dataStreams = (): [string, StreamBuffer][] => [...buffers].filter(([name]) => name !== orderStream);
  const open = (name: string): StreamBuffer => {
    const known = buffers.get(name);
    if (known !== undefined) return known;
    const writer = store.writer({ id: run.id, attempt: run.job.state.attempt, stream: name });
    const isSecond = name !== orderStream && dataStreams().length === 1;
    if (isSecond) for (const [first, buffer] of dataStreams()) writeOrder(first, buffer);
    const buffer = new StreamBuffer(writer, clock, () => {
      if (name !== orderStream && dataStreams().length > 1) writeOrder(name, buffer);
    });
    buffers.set(name, buffer);
    return buffer;
  };
  const writeOrder = (name: string, buffer: StreamBuffer): void => {
    buffer.flush();
    if (buffer.size() > 0) open(orderStream).write(Buffer.from(`${name} ${buffer.size()}\n`));
  };
  return {
    stream: (name) => {
      const buffer = open(name);
      return {
        write: (chunk) => {
          if (isClosed) return;
          run.touch();
          // What was written to another stream before has its place before this.
          for (const [other, earlier] of dataStreams()) if (other !== name) earlier.flush();
          buffer.write(typeof chunk === "string" ? Buffer.from(chunk) : chunk);
        },
      };
    },
    close: () => {
      isClosed = true;
      for (const [, buffer] of dataStreams()) buffer.close();
      buffers.get(orderStream)?.close();
    },
  };
}

class StreamBuffer {
  readonly #writer: OutputWriter;
  readonly #clock: Clock;
  readonly #onFlushed: () => void;
  #chunks: Uint8Array[] = [];
  #bytes = 0;
  #cancelTimer: (() => void) | undefined;

  constructor(writer: OutputWriter, clock: Clock, onFlushed: () => void) {
    this.#writer = writer;
    this.#clock = clock;
    this.#onFlushed = onFlushed;
  }

  size(): number {
    return this.#writer.size();
  }

  write(chunk: Uint8Array): void {
    this.#chunks.push(Uint8Array.from(chunk));
    this.#bytes += chunk.length;
    if (this.#bytes >= bufferBytes) this.flush();
    else this.#cancelTimer ??= this.#clock.after(coalesceMs, () => this.flush());
  }

  flush(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    if (this.#bytes === 0) return;
    const bytes = Buffer.concat(this.#chunks);
    this.#chunks = [];
    this.#bytes = 0;
    this.#writer.append(bytes);
    this.#onFlushed();
  }

  close(): void {
    this.flush();
    this.#writer.close();
  }
}
