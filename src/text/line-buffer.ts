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
    const text = this.#rest + this.#decoder.decode(bytes, { stream: true });
    const lines = text.split(/\r?\n/).flatMap((line) => (line.length > longestLine ? cutLine(line) : [line]));
    this.#rest = lines.pop() ?? "";
    return lines;
  }
}

function cutLine(line: string): string[] {
  const count = Math.ceil(line.length / longestLine);
  return Array.from({ length: count }, (_, index) => line.slice(index * longestLine, (index + 1) * longestLine));
}
