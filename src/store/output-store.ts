import type { Artifact, ArtifactPart } from "../job/artifact.ts";
import type { JobId } from "../job/id.ts";
import type { OutputFile, OutputFileOptions, OutputSize } from "../job/output.ts";
import type { HeldLease } from "./store.ts";

/** Which stream of which attempt. */
export interface OutputAddress {
  readonly id: JobId;
  readonly attempt: number;
  readonly stream: string;
}

/** An attempt whose output this process writes, for as long as it holds the lease. */
export interface HeldOutput {
  readonly lease: HeldLease;
  readonly attempt: number;
  /** It ran before, maybe on another machine. */
  readonly isResumed: boolean;
}

/**
 * Bytes that attempts write, addressed by their offset in the stream. Each stream is capped: its beginning and its
 * end are kept, what lay between is dropped and counted, and offsets stay what they were.
 *
 * An attempt's process calls `restore` before it writes, `flush` before the attempt's end is stored, and `leave` after it. A store
 * whose files everybody reads has nothing to do for these.
 */
export interface OutputStore {
  /**
   * Puts what a resumed attempt has written before where it goes on, whichever machine it was on. Undefined where it is there
   * already, so that nobody waits for nothing.
   */
  readonly restore: (held: HeldOutput) => Promise<Restored> | undefined;
  /** Resolves once all that the attempt has written is kept for readers everywhere, or its lease is lost. Undefined where it is already. */
  readonly flush: (id: JobId, attempt: number) => Promise<void> | undefined;
  /** The attempt writes no more in this process; with `isOver` nobody goes on from its files here. */
  readonly leave: (id: JobId, attempt: number, end: { readonly isOver: boolean }) => void;
  /** Goes on at the end of what is there already. One writer per stream at a time. */
  readonly writer: (address: OutputAddress) => OutputWriter;
  /** A file for a process of its own to append to, so that its output passes through nobody. */
  readonly file: (address: OutputAddress, options?: OutputFileOptions) => OutputFile;
  /** A folder for what an attempt keeps on this machine alone: its processes; removed with the job's output. */
  readonly folder: (id: JobId, attempt: number) => string;
  /** Keeps something for the attempt to go on from, on whichever machine, in place of what had this name. */
  readonly savePiece: (piece: PieceAddress, content: string | Uint8Array) => Promise<void>;
  readonly loadPiece: (piece: PieceAddress) => Promise<Uint8Array | undefined>;
  /** Reads at most `limit` bytes at or after `from`; where those bytes were dropped, the next that are kept. */
  readonly read: (address: OutputAddress, from: number, limit: number) => Promise<OutputSlice>;
  readonly measure: (address: OutputAddress) => Promise<OutputSize>;
  /** The streams that this attempt has written to. */
  readonly streams: (id: JobId, attempt: number) => Promise<string[]>;
  /** Keeps a file under a name of its own, in place of one of that name; it is kept as long as the job. */
  readonly saveArtifact: (id: JobId, name: string, content: string | Uint8Array) => Promise<Artifact>;
  /** As `saveArtifact`, within bounds, of a file that comes in parts; undefined until the last one is there. */
  readonly saveArtifactPart: (id: JobId, name: string, part: ArtifactPart) => Promise<Artifact | undefined>;
  readonly artifacts: (id: JobId) => Promise<Artifact[]>;
  readonly readArtifact: (id: JobId, name: string, from: number, limit: number) => Promise<ArtifactSlice>;
  readonly remove: (id: JobId) => Promise<void>;
}

export interface Restored {
  /** Another machine wrote it, or this one has lost some of it: what had not been handed on is missing. */
  readonly isMoved: boolean;
}

export interface PieceAddress {
  readonly id: JobId;
  readonly attempt: number;
  readonly name: string;
}

/** Part of an artifact; `bytes` is the size of the whole. */
export interface ArtifactSlice extends Artifact {
  readonly from: number;
  readonly content: Uint8Array;
}

export interface OutputWriter {
  /** The bytes are readable, and outlive this process, when it returns. Bytes that cannot be written are dropped and counted. */
  readonly append: (chunk: Uint8Array) => void;
  /** All bytes of the stream so far, dropped ones included. */
  readonly size: () => number;
  readonly close: () => void;
}

export interface OutputSlice {
  readonly bytes: Uint8Array;
  /** Where these bytes begin; above the `from` asked for when bytes between were dropped. */
  readonly from: number;
  /** Where to read on. */
  readonly next: number;
  readonly size: number;
}
