import { open } from "node:fs/promises";
import { LineBuffer } from "../../text/line-buffer.ts";

const chunkBytes = 64 * 1024;
/** Most that one look reads: a file may grow faster than its lines can be tested. */
const mostChunks = 8;

/** Tests each new line of a growing file once, and its unfinished last line every time. */
export class LineScanner {
  readonly #path: string;
  readonly #test: (line: string) => boolean;
  readonly #lines = new LineBuffer();
  #offset = 0;

  constructor(path: string, test: (line: string) => boolean) {
    this.#path = path;
    this.#test = test;
  }

  /** Whether a line that came since the last look passes. */
  async look(): Promise<boolean> {
    const file = await open(this.#path, "r").catch(() => undefined);
    if (file === undefined) return false;
    try {
      const buffer = Buffer.alloc(chunkBytes);
      for (let chunk = 0; chunk < mostChunks; chunk++) {
        const { bytesRead } = await file.read(buffer, 0, chunkBytes, this.#offset);
        if (bytesRead === 0) break;
        this.#offset += bytesRead;
        if (this.#lines.push(buffer.subarray(0, bytesRead)).some(this.#test)) return true;
      }
      return this.#lines.rest !== "" && this.#test(this.#lines.rest);
    } finally {
      await file.close();
    }
  }
}
