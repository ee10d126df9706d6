import type { Access } from "../engine/access.ts";
import type { Engine } from "../engine/engine.ts";
import type { JobId } from "../job/id.ts";
import type { Job } from "../job/job.ts";
import { LineBuffer } from "../text/line-buffer.ts";

/** A stretch of one stream, at its place in the order in which stdout and stderr were written. */
interface Piece {
  readonly stream: string;
  readonly from: number;
  readonly size: number;
}

export interface OutputChunk {
  readonly bytes: Uint8Array;
  /** Where these bytes begin. */
  readonly from: number;
  readonly next: number;
  /** All bytes that there are to read so far, dropped ones included. */
  readonly size: number;
  readonly dropped: number;
}

export interface OutputSource {
  /** At most `limit` bytes at or after an offset; where they were dropped, the next that are kept. */
  readonly read: (from: number, limit: number) => Promise<OutputChunk>;
}

const orderStream = "order";
/** Read at a time: what else the server has to do comes in between. */
const orderBytes = 128 * 1024;
/** Other streams hold what is no text to read along, and are read by their own names. */
const mergedStreams: ReadonlySet<string> = new Set(["stdout", "stderr"]);

/** The output of one attempt as one run of bytes: a single stream, or stdout and stderr in their order. */
export async function openOutput(
  engine: Engine,
  target: { id: JobId; attempt: number; stream: string; isOver: boolean },
  access: Access,
): Promise<OutputSource> {
  const { id, attempt, stream } = target;
  const sizes = await engine.outputSizes(id, attempt, access);
  const isMerged = stream === "merged";
  const pieces = isMerged
    ? toPieces(await readOrder(engine, id, attempt, access), sizes, target.isOver)
    : [{ stream, from: 0, size: sizes[stream]?.size ?? 0 }];
  const size = pieces.reduce((sum, piece) => sum + piece.size, 0);
  const dropped = Object.entries(sizes).reduce(
    (sum, [name, measured]) => sum + (name === stream || (isMerged && mergedStreams.has(name)) ? measured.dropped : 0),
    0,
  );
  return {
    read: async (from, limit) => {
      let start = 0;
      for (const piece of pieces) {
        const end = start + piece.size;
        if (from < end) {
          const skip = Math.max(0, from - start);
          const request = {
            stream: piece.stream,
            attempt,
            from: piece.from + skip,
            limit: Math.min(limit, piece.size - skip),
          };
          const slice = await engine.readOutput(id, request, access);
          const jumped = slice.from - request.from;
          // All that is left of this piece may have been dropped: then the next piece has the next bytes.
          if (slice.bytes.length > 0 && jumped < piece.size - skip) {
            const bytes = slice.bytes.subarray(0, piece.size - skip - jumped);
            const at = start + skip + jumped;
            return { bytes, from: at, next: at + bytes.length, size, dropped };
          }
        }
        start = end;
      }
      return { bytes: new Uint8Array(), from: size, next: size, size, dropped };
    },
  };
}

const endBytes = 2_000;

/** The end of what a job has written, of the stream that grew last. It reads no more than that, for those who ask often. */
export async function readOutputEnd(engine: Engine, job: Job, access: Access): Promise<string> {
  const { id, state } = job;
  const { attempt } = state;
  const sizes = await engine.outputSizes(id, attempt, access);
  const readEnd = async (stream: string): Promise<string> => {
    const from = Math.max(0, (sizes[stream]?.size ?? 0) - endBytes);
    const { bytes } = await engine.readOutput(id, { stream, attempt, from, limit: endBytes }, access);
    return Buffer.from(bytes).toString();
  };
  const [growing = ""] = (await readEnd(orderStream)).trimEnd().split("\n").at(-1)?.split(" ") ?? [];
  if (mergedStreams.has(growing)) return readEnd(growing);
  return readEnd(sizes["stdout"] === undefined ? "stderr" : "stdout");
}

/** Each line names the stream that grew, and the offset it had reached by then. */
async function readOrder(engine: Engine, id: JobId, attempt: number, access: Access): Promise<Piece[]> {
  const pieces: Piece[] = [];
  const reached: Record<string, number> = {};
  const lines = new LineBuffer();
  for (let from = 0; ;) {
    const slice = await engine.readOutput(id, { stream: orderStream, attempt, from, limit: orderBytes }, access);
    for (const line of slice.bytes.length === 0 ? [lines.rest] : lines.push(slice.bytes)) {
      const [stream = "", offset] = line.split(" ");
      if (offset === undefined || !mergedStreams.has(stream)) continue;
      const start = reached[stream] ?? 0;
      reached[stream] = Number(offset);
      pieces.push({ stream, from: start, size: Number(offset) - start });
    }
    if (slice.bytes.length === 0) return pieces;
    from = slice.next;
  }
}

/**
 * The known order. What came after it has no place yet while the attempt runs, because a place that was given must
 * stay; once it is over the rest follows, the stream that was growing first.
 */
function toPieces(known: readonly Piece[], sizes: Record<string, { size: number }>, isOver: boolean): Piece[] {
  const hasTwoStreams = sizes["stdout"] !== undefined && sizes["stderr"] !== undefined;
  if (!isOver && (hasTwoStreams || sizes[orderStream] !== undefined)) return known.filter((piece) => piece.size > 0);
  const names = Object.keys(sizes).filter((name) => mergedStreams.has(name));
  const last = known.at(-1)?.stream;
  const rest = names
    .toSorted((a, b) => Number(a === last) - Number(b === last) || (a === "stdout" ? -1 : b === "stdout" ? 1 : 0))
    .map((stream) => {
      const from = known.filter((piece) => piece.stream === stream).reduce((sum, piece) => sum + piece.size, 0);
      return { stream, from, size: Math.max(0, (sizes[stream]?.size ?? 0) - from) };
    });
  return [...known, ...rest].filter((piece) => piece.size > 0);
}
