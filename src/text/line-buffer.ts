/** A line longer than this is given out in pieces, so that a flood without line ends stays bounded. */
const longestLine = 64 * 1024;

/** Cuts bytes that come in pieces into lines. */
export class LineBuffer {
  readonly #decoder = new globalThis.TextDecoder();
  #rest = "";

  /** The line that has not ended yet: a prompt never does. */
  get rest(): string {
    return this.#rest;
  }

  /** The lines that these bytes complete. */
  push(bytes: Uint8Array): string[] {
    const lines = (this.#rest + this.#decoder.decode(bytes, { stream: true })).split(/\r?\n/);
    this.#rest = lines.pop() ?? "";
    while (this.#rest.length > longestLine) {
      lines.push(this.#rest.slice(0, longestLine));
      this.#rest = this.#rest.slice(longestLine);
    }
    return lines;
  }
}
