import { open, truncate, type FileHandle } from "node:fs/promises";
import type { OutputFile } from "../../job/output.ts";
import { ByteLines } from "../../text/byte-lines.ts";
import type { CrawlRecord } from "./crawl-record.ts";

const syncEveryMs = 1_000;
const tellEveryMs = 250;
const readBytes = 1_000_000;

/**
 * Records, one JSON text per line, appended to a file. Those that come while others are being written go to the file together.
 * What was written survives the end of the process at once, and a power cut after a second.
 */
export class Journal {
  readonly #output: OutputFile;
  readonly #handle: FileHandle;
  #size: number;
  #waiting: { readonly bytes: Uint8Array; readonly resolve: () => void; readonly reject: (error: unknown) => void }[] =
    [];
  #isWriting = false;
  #syncedAt = performance.now();
  #toldAt = 0;

  private constructor(output: OutputFile, handle: FileHandle, size: number) {
    this.#output = output;
    this.#handle = handle;
    this.#size = size;
  }

  /** Reads back what is there, then goes on behind its last whole line. */
  static async open(output: OutputFile, onRecord: (record: CrawlRecord) => void): Promise<Journal> {
    const size = await readBack(output.path, onRecord);
    return new Journal(output, await open(output.path, "a", 0o600), size);
  }

  get size(): number {
    return this.#size;
  }

  /** Resolves when the record is in the file. */
  append(line: Uint8Array): Promise<void> {
    this.#size += line.length;
    return new Promise((resolve, reject) => {
      this.#waiting.push({ bytes: line, resolve, reject });
      if (!this.#isWriting) void this.#writeAll();
    });
  }

  async close(): Promise<void> {
    await this.#handle.datasync().catch(() => undefined);
    await this.#handle.close();
    await this.#output.grown();
  }

  async #writeAll(): Promise<void> {
    this.#isWriting = true;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting;
      this.#waiting = [];
      try {
        await this.#handle.appendFile(Buffer.concat(batch.map(({ bytes }) => bytes)));
        batch.forEach(({ resolve }) => resolve());
        await this.#tell();
      } catch (error) {
        batch.forEach(({ reject }) => reject(error));
      }
    }
    this.#isWriting = false;
  }

  async #tell(): Promise<void> {
    const now = performance.now();
    if (now - this.#toldAt > tellEveryMs) {
      this.#toldAt = now;
      await this.#output.grown();
    }
    if (now - this.#syncedAt > syncEveryMs) {
      this.#syncedAt = now;
      // Not waited for: a slow disk must not hold up the crawl.
      this.#handle.datasync().catch(() => undefined);
    }
  }
}

/** Cuts off a last line that a crash has left unfinished. Returns the size that is left. */
async function readBack(path: string, onRecord: (record: CrawlRecord) => void): Promise<number> {
  const file = await open(path, "a+", 0o600);
  const lines = new ByteLines();
  let position = 0;
  try {
    const buffer = Buffer.allocUnsafe(readBytes);
    for (;;) {
      const { bytesRead } = await file.read(buffer, 0, readBytes, position);
      if (bytesRead === 0) break;
      position += bytesRead;
      for (const line of lines.push(buffer.subarray(0, bytesRead))) readLine(line, onRecord);
    }
    const whole = position - lines.restBytes;
    if (whole < position) await truncate(path, whole);
    return whole;
  } finally {
    await file.close();
  }
}

function readLine(line: string, onRecord: (record: CrawlRecord) => void): void {
  if (line === "") return;
  try {
    onRecord(JSON.parse(line) as CrawlRecord);
  } catch {
    // A line that a power cut has left half-written between others: its page is fetched again.
  }
}
