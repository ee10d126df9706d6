import { closeSync, fdatasync, openSync, writeSync } from "node:fs";
import { open, truncate } from "node:fs/promises";
import { promisify } from "node:util";
import { LonghaulError } from "../../../job/error.ts";
import type { OutputFile } from "../../../job/output.ts";
import { ByteLines } from "../../../text/byte-lines.ts";
import type { CrawlRecord } from "./crawl-record.ts";

const syncEveryMs = 1_000;
const tellEveryMs = 250;
const readBytes = 1_000_000;
const fullShare = 0.9;

/**
 * Records, one JSON text per line, appended to a file. What was written survives the end of the process at once, and a power
 * cut after a second.
 */
export class Journal {
  readonly #output: OutputFile;
  readonly #file: number;
  #size: number;
  #syncedAt = performance.now();
  #toldAt = 0;
  #refusal: unknown;

  private constructor(output: OutputFile, size: number) {
    this.#output = output;
    this.#file = openSync(output.path, "a", 0o600);
    this.#size = size;
  }

  /** Reads back what is there, then goes on behind its last whole line. */
  static async open(output: OutputFile, onRecord: (record: CrawlRecord) => void): Promise<Journal> {
    const size = await readBack(output.path, onRecord);
    // What was cut off has to be known before more is written.
    await output.grown();
    return new Journal(output, size);
  }

  get size(): number {
    return this.#size;
  }

  /** No page should be begun that may not find room any more. */
  get isFull(): boolean {
    return this.#size >= (this.#output.maxBytes ?? Infinity) * fullShare;
  }

  /** The record is in the file when it returns: handing it to another thread takes longer than writing it. */
  append(line: Uint8Array): void {
    if (this.#refusal !== undefined) throw this.#refusal;
    for (let written = 0; written < line.length;) written += writeSync(this.#file, line, written);
    this.#size += line.length;
    const now = performance.now();
    if (now - this.#toldAt > tellEveryMs) {
      this.#toldAt = now;
      this.#output.grown().catch((error: unknown) => {
        if (error instanceof LonghaulError) this.#refusal = error;
      });
    }
    if (now - this.#syncedAt > syncEveryMs) {
      this.#syncedAt = now;
      // Not waited for: a slow disk must not hold up the crawl.
      fdatasync(this.#file, () => undefined);
    }
  }

  async close(): Promise<void> {
    await promisify(fdatasync)(this.#file).catch(() => undefined);
    closeSync(this.#file);
    await this.#output.grown();
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
      for (const { text } of lines.push(buffer.subarray(0, bytesRead))) readLine(text, onRecord);
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
