import type { Artifact, ArtifactPart } from "../job/artifact.ts";
import type { JobId } from "../job/id.ts";
import type { OutputFile, OutputFileOptions, OutputSize } from "../job/output.ts";

/** Which stream of which attempt. */
export interface OutputAddress {
  readonly id: JobId;
  readonly attempt: number;
  readonly stream: string;
}

/**
 * Bytes that attempts write, addressed by their offset in the stream. Each stream is capped: its beginning and its
 * end are kept, what lay between is dropped and counted, and offsets stay what they were.
 */
export interface OutputStore {
  /** Goes on at the end of what is there already. One writer per stream at a time. */
  readonly writer: (address: OutputAddress) => OutputWriter;
  /** A file for a process of its own to append to, so that its output passes through nobody. */
  readonly file: (address: OutputAddress, options?: OutputFileOptions) => OutputFile;
  /** A folder for whatever else an attempt keeps on this machine; removed with the job's output. */
  readonly folder: (id: JobId, attempt: number) => string;
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
