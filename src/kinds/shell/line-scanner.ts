import { open } from "node:fs/promises";
import { LineBuffer } from "../../text/line-buffer.ts";

const chunkBytes = 64 * 1024;

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
    const file = await open(this.#path, "r");
    try {
      const buffer = Buffer.alloc(chunkBytes);
      for (;;) {
        const { bytesRead } = await file.read(buffer, 0, chunkBytes, this.#offset);
        if (bytesRead === 0) return this.#lines.rest !== "" && this.#test(this.#lines.rest);
        this.#offset += bytesRead;
        if (this.#lines.push(buffer.subarray(0, bytesRead)).some(this.#test)) return true;
      }
    } finally {
      await file.close();
    }
  }
}
