/** Cuts bytes that come in pieces into lines, however long. */
export class LongLines {
  #pieces: Uint8Array[] = [];
  #restBytes = 0;

  /** Bytes of the line that has not ended yet. */
  get restBytes(): number {
    return this.#restBytes;
  }

  /** The lines that these bytes complete, without their line ends. */
  push(bytes: Uint8Array): string[] {
    const lines: string[] = [];
    let start = 0;
    for (let end = bytes.indexOf(0x0a); end !== -1; end = bytes.indexOf(0x0a, start)) {
      lines.push(Buffer.concat([...this.#pieces, bytes.subarray(start, end)]).toString());
      this.#pieces = [];
      start = end + 1;
    }
    if (start > 0) this.#restBytes = 0;
    this.#restBytes += bytes.length - start;
    // A copy, because the caller may use its memory again.
    if (start < bytes.length) this.#pieces.push(Uint8Array.from(bytes.subarray(start)));
    return lines;
  }
}
