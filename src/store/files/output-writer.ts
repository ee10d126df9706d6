import { closeSync, mkdirSync, openSync, readdirSync, statSync, unlinkSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { OutputWriter } from "../output-store.ts";
import { toStarts } from "./output-cut.ts";

interface WrittenSegment {
  readonly start: number;
  size: number;
}

/**
 * Appends to a stream in segments of a fixed size, each a file named after its offset. The first segment (the head) is
 * never dropped; beyond `maxSegments` the oldest of the others goes.
 */
export class SegmentWriter implements OutputWriter {
  readonly #folder: string;
  readonly #stream: string;
  readonly #segmentBytes: number;
  readonly #maxSegments: number;
  #segments: WrittenSegment[] = [];
  #file: number | undefined;
  /** Bytes that found no room on the disk: the next segment begins behind them. */
  #missingBytes = 0;

  constructor(folder: string, stream: string, sizes: { segmentBytes: number; maxSegments: number }) {
    this.#folder = folder;
    this.#stream = stream;
    this.#segmentBytes = sizes.segmentBytes;
    this.#maxSegments = sizes.maxSegments;
  }

  append(chunk: Uint8Array): void {
    let rest = chunk;
    try {
      if (this.#file === undefined) this.#begin();
      while (rest.length > 0) {
        const segment = this.#currentSegment();
        const room = Math.min(rest.length, this.#segmentBytes - segment.size);
        const written = writeSync(this.#file ?? -1, rest, 0, room);
        segment.size += written;
        rest = rest.subarray(written);
      }
    } catch {
      // A full disk, a folder that somebody removed: output is lost and counted, the job goes on.
      this.#missingBytes += rest.length;
    }
  }

  size(): number {
    if (this.#file === undefined) this.#begin();
    const last = this.#segments.at(-1);
    return (last === undefined ? 0 : last.start + last.size) + this.#missingBytes;
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  #begin(): void {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    this.#segments = toStarts(readdirSync(this.#folder), this.#stream).map((start) => ({
      start,
      size: statSync(this.#path(start)).size,
    }));
    const last = this.#segments.at(-1);
    if (last === undefined) this.#open(0);
    else this.#file = openSync(this.#path(last.start), "a", 0o600);
  }

  #currentSegment(): WrittenSegment {
    const last = this.#segments.at(-1) ?? this.#open(0);
    if (last.size < this.#segmentBytes && this.#missingBytes === 0) return last;
    const next = this.#open(last.start + last.size + this.#missingBytes);
    this.#missingBytes = 0;
    const [dropped] = this.#segments.length > this.#maxSegments ? this.#segments.splice(1, 1) : [];
    if (dropped !== undefined) unlinkSync(this.#path(dropped.start));
    return next;
  }

  #open(start: number): WrittenSegment {
    const file = openSync(this.#path(start), "a", 0o600);
    this.close();
    this.#file = file;
    const segment = { start, size: 0 };
    this.#segments.push(segment);
    return segment;
  }

  #path(start: number): string {
    return join(this.#folder, `${this.#stream}.${start}`);
  }
}
