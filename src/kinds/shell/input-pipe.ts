import { constants, writeSync } from "node:fs";
import { open } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { LonghaulError } from "../../job/error.ts";
import type { SentInput, WindowSize } from "../../job/kind.ts";
import { countText } from "../../text/count-text.ts";

const patienceMs = 5_000;
const slowestRetryMs = 20;

/** Writes all of the text, or says why not. The pipe's reader is the command itself, so nothing passes through us later. */
export async function writeToPipe(path: string, bytes: Uint8Array): Promise<void> {
  const written = await writePieces(path, [bytes]);
  if (written < bytes.length) throw notRead(bytes.length - written);
}

/** As much as the system takes in one piece, or not at all, however many write: PIPE_BUF. */
const frameBytes = process.platform === "linux" ? 4_096 : 512;
const headBytes = 100;

/**
 * Hands input to the holder of a command's input (`holder-script.ts`), and answers how many bytes that has taken: whole frames, so that what it
 * has taken stays taken, whatever happens to this server.
 */
export async function writeFrames(path: string, { bytes, sender, offset = 0, isEnd }: SentInput): Promise<number> {
  const frames: Uint8Array[] = [];
  for (let from = 0; from < bytes.length; from += frameBytes - headBytes) {
    const piece = bytes.subarray(from, from + frameBytes - headBytes);
    frames.push(Buffer.concat([Buffer.from(`t ${sender ?? "-"} ${offset + from} ${piece.length}\n`), piece]));
  }
  const written = await writePieces(path, frames);
  let taken = 0;
  let left = written;
  for (const frame of frames) {
    if (left < frame.length) break;
    left -= frame.length;
    taken += Math.min(frameBytes - headBytes, bytes.length - taken);
  }
  if (taken < bytes.length && sender === undefined) throw notRead(bytes.length - taken);
  if (taken === bytes.length && isEnd === true) await writeToPipe(path, Buffer.from("e\n"));
  return taken;
}

/** Tells the holder of a command's terminal the size of its window, or to have it drawn anew. */
export async function writeSize(path: string, size: WindowSize | undefined): Promise<void> {
  await writeToPipe(path, Buffer.from(size === undefined ? "r\n" : `s ${size.columns} ${size.rows}\n`));
}

/** Bytes of one piece after the other, until all are written or nobody has read for a while. A piece that fits into a pipe is never cut. */
async function writePieces(path: string, pieces: readonly Uint8Array[]): Promise<number> {
  const pipe = await open(path, constants.O_WRONLY | constants.O_NONBLOCK).catch((error: unknown) => {
    throw closed(error);
  });
  try {
    let written = 0;
    let retryMs = 1;
    const giveUpAt = performance.now() + patienceMs;
    for (const piece of pieces) {
      for (let rest = piece; rest.length > 0;) {
        const count = tryWrite(pipe.fd, rest);
        rest = rest.subarray(count);
        written += count;
        if (performance.now() > giveUpAt && (count === 0 || rest.length === 0)) return written;
        if (count === 0) await delay(retryMs);
        retryMs = count === 0 ? Math.min(slowestRetryMs, retryMs * 2) : 1;
      }
    }
    return written;
  } finally {
    await pipe.close();
  }
}

/** At once: the pipe does not make anybody wait, and asking for it takes many times longer. */
function tryWrite(pipe: number, bytes: Uint8Array): number {
  try {
    return writeSync(pipe, bytes);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "EAGAIN") return 0;
    throw code === "EPIPE" ? closed(error) : error;
  }
}

function closed(cause: unknown): LonghaulError {
  return new LonghaulError("conflict", "The command's input is closed.", { cause, details: { input: "closed" } });
}

function notRead(bytes: number): LonghaulError {
  return new LonghaulError(
    "conflict",
    `The command does not read its input: ${countText(bytes, "byte")} could not be written.`,
  );
}
