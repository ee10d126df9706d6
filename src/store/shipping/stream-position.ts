import type { OutputAddress, OutputSlice } from "../output-store.ts";

/** A stretch of a stream on its way to where everybody reads it: bytes that stand at `start` there. */
export interface Chunk {
  readonly address: OutputAddress;
  readonly start: number;
  readonly bytes: Uint8Array;
  /** Nothing of the stream is ever dropped. */
  readonly isWhole: boolean;
}

export const maxChunkBytes = 64 * 1024;
/** A chunk below this is written anew with what came after it, so that a slow stream is not a row per second. */
const smallChunkBytes = 8 * 1024;

/** How far a stream of a running attempt has been shipped. */
export class StreamPosition {
  readonly address: OutputAddress;
  readonly isWhole: boolean;
  /** Everything before it is shipped, or will never be. */
  shippedTo: number;
  /** How many shipped bytes are kept where they went. */
  kept: number;
  /** The file was cut short, when it was opened again, to so many bytes: what was shipped beyond is to be taken back. */
  cutTo: number | undefined;
  isDirty = false;
  #open: Chunk | undefined;

  constructor(address: OutputAddress, shipped: { readonly size: number; readonly kept: number }, isWhole: boolean) {
    this.address = address;
    this.isWhole = isWhole;
    this.shippedTo = shipped.size;
    this.kept = shipped.kept;
  }

  /** The chunk to ship for the next bytes of the stream. */
  next({ from, bytes }: OutputSlice): Chunk {
    const { address, isWhole } = this;
    const open = this.#open;
    const isSequel = open !== undefined && open.start + open.bytes.length === from;
    if (!isSequel || open.bytes.length + bytes.length > maxChunkBytes) return { address, isWhole, start: from, bytes };
    return { address, isWhole, start: open.start, bytes: Buffer.concat([open.bytes, bytes]) };
  }

  shipped(chunk: Chunk): void {
    const end = chunk.start + chunk.bytes.length;
    const known = this.#open?.start === chunk.start ? this.#open.bytes.length : 0;
    this.kept += chunk.bytes.length - known;
    this.shippedTo = end;
    this.#open = chunk.bytes.length < smallChunkBytes ? chunk : undefined;
  }

  /** Goes on from another place than behind the last chunk. */
  moveTo(shippedTo: number): void {
    this.shippedTo = shippedTo;
    this.#open = undefined;
  }
}
