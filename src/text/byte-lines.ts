/**
 * Cuts bytes that come in pieces into lines, also very long ones: a line is put together once, when its end has come.
 * Of a line longer than allowed the beginning is given out, and the rest is dropped.
 */
export class ByteLines {
  readonly #maxBytes: number;
  #pieces: Uint8Array[] = [];
  #bytes = 0;

  constructor(maxBytes = Infinity) {
    this.#maxBytes = maxBytes;
  }

  /** Bytes of the line that has not ended yet. */
  get restBytes(): number {
    return this.#bytes;
  }

  push(bytes: Uint8Array): { text: string; isCut: boolean }[] {
    const lines: { text: string; isCut: boolean }[] = [];
    let start = 0;
    for (let end = bytes.indexOf(0x0a); end !== -1; end = bytes.indexOf(0x0a, start)) {
      this.#keep(bytes.subarray(start, end));
      lines.push(this.#take());
      start = end + 1;
    }
    this.#keep(bytes.subarray(start));
    return lines;
  }

  /** The last line, if it has no end. */
  rest(): { text: string; isCut: boolean }[] {
    return this.#bytes === 0 ? [] : [this.#take()];
  }

  #keep(piece: Uint8Array): void {
    const room = this.#maxBytes - this.#bytes;
    if (room > 0 && piece.length > 0) this.#pieces.push(Uint8Array.from(piece.subarray(0, room)));
    this.#bytes += piece.length;
  }

  #take(): { text: string; isCut: boolean } {
    const text = Buffer.concat(this.#pieces).toString().replace(/\r$/, "");
    const isCut = this.#bytes > this.#maxBytes;
    this.#pieces = [];
    this.#bytes = 0;
    return { text, isCut };
  }
}
