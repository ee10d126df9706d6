import { wholeCharacters } from "./whole-characters.ts";

/** A line longer than this is given out in pieces, so that a flood without line ends stays bounded. */
const longestLine = 64 * 1024;

export interface PlacedLine {
  readonly text: string;
  /** The offset at which it begins. */
  readonly at: number;
}

/** Cuts bytes that come in pieces into lines, and says where each begins. */
export class PlacedLines {
  #rest = Buffer.alloc(0);
  #restAt = 0;

  /** Bytes of the line that has not ended yet. */
  get restBytes(): number {
    return this.#rest.length;
  }

  /** The line that has not ended yet: a prompt never does. */
  rest(): PlacedLine[] {
    return this.#rest.length === 0 ? [] : [{ text: this.#rest.toString(), at: this.#restAt }];
  }

  /** The lines that these bytes complete. */
  push(bytes: Uint8Array, from: number): PlacedLine[] {
    const before = this.#rest.length;
    const data = before === 0 ? Buffer.from(bytes) : Buffer.concat([this.#rest, bytes]);
    const restAt = this.#restAt;
    const placeOf = (index: number): number => (index < before ? restAt + index : from + index - before);
    const lines: PlacedLine[] = [];
    let start = 0;
    while (start < data.length) {
      const end = data.indexOf(0x0a, start);
      const lineBytes = (end === -1 ? data.length : end) - start;
      if (end === -1 && lineBytes <= longestLine) break;
      const isWhole = lineBytes <= longestLine;
      const length = isWhole ? lineBytes : wholeCharacters(data.subarray(start, start + longestLine)) || longestLine;
      const text = data.subarray(start, start + length).toString();
      lines.push({ text: text.replace(/\r$/, ""), at: placeOf(start) });
      start += isWhole ? length + 1 : length;
    }
    this.#rest = data.subarray(start);
    this.#restAt = placeOf(start);
    return lines;
  }
}
