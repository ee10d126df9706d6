import type { OutputStream } from "../../job/kind.ts";

type StreamName = "stdout" | "stderr";

/** The order is written down at least this often while output comes: until then it is not shown as one text. */
const writtenEveryMs = 500;

/**
 * Keeps the order in which stdout and stderr grew, as far as looking at both from time to time can tell: a line with
 * the stream that grew and the offset it reached, whenever the other one takes over, and now and then in between.
 * `operations/merged-output.ts` reads it.
 */
export class Interleaving {
  readonly #output: OutputStream;
  readonly #sizes: Record<StreamName, number> = { stdout: 0, stderr: 0 };
  #growing: StreamName | undefined;
  #isWritten = true;
  #writtenAt = 0;

  constructor(output: OutputStream) {
    this.#output = output;
  }

  /** The stream that grew last. */
  get growing(): StreamName | undefined {
    return this.#growing;
  }

  note(stdout: number, stderr: number): void {
    this.#grow("stdout", stdout);
    this.#grow("stderr", stderr);
    if (performance.now() - this.#writtenAt >= writtenEveryMs) this.#write();
  }

  #grow(stream: StreamName, size: number): void {
    if (size <= this.#sizes[stream]) return;
    if (this.#growing !== stream) this.#write();
    this.#growing = stream;
    this.#sizes[stream] = size;
    this.#isWritten = false;
  }

  #write(): void {
    if (this.#growing === undefined || this.#isWritten) return;
    this.#output.write(`${this.#growing} ${this.#sizes[this.#growing]}\n`);
    this.#isWritten = true;
    this.#writtenAt = performance.now();
  }
}
