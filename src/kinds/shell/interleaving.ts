import type { OutputStream } from "../../job/kind.ts";

/**
 * Keeps the order in which stdout and stderr grew, as far as looking at both from time to time can tell: a line for
 * each time the growing stream changes, with the offset that the other one had reached. `operations/merged-output.ts` reads it.
 */
export class Interleaving {
  readonly #output: OutputStream;
  #sizes = { stdout: 0, stderr: 0 };
  #growing: "stdout" | "stderr" | undefined;

  constructor(output: OutputStream) {
    this.#output = output;
  }

  /** The stream that grew last. */
  get growing(): "stdout" | "stderr" | undefined {
    return this.#growing;
  }

  note(stdout: number, stderr: number): void {
    this.#grow("stdout", stdout);
    this.#grow("stderr", stderr);
  }

  #grow(stream: "stdout" | "stderr", size: number): void {
    if (size <= this.#sizes[stream]) return;
    if (this.#growing !== undefined && this.#growing !== stream) {
      this.#output.write(`${this.#growing} ${this.#sizes[this.#growing]}\n`);
    }
    this.#growing = stream;
    this.#sizes[stream] = size;
  }
}
