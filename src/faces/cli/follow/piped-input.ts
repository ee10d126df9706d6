import { randomUUID } from "node:crypto";
import { fstatSync, statSync } from "node:fs";
import { PassThrough, type Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { LonghaulError } from "../../../job/error.ts";
import { messageOf } from "../../../job/failure.ts";
import type { CliContext } from "../cli-context.ts";
import { isFinished } from "../show/job-text.ts";

/** What stands at the standard input of this program: a person, nothing at all, or something to be read. */
export function inputSource(): "terminal" | "nothing" | "piped" {
  if (process.stdin.isTTY) return "terminal";
  const stats = fstatSync(0);
  return stats.isCharacterDevice() && stats.rdev === statSync("/dev/null").rdev ? "nothing" : "piped";
}

export interface Feeding {
  /** Whether the job has got all that it will get. */
  readonly isDone: () => boolean;
  readonly stop: () => void;
}

/** Begins to pass on what is piped in here to a job that streams its input, and goes on until that ends, the job does, or it is stopped. */
export function startFeeding(cli: CliContext, id: string): Feeding {
  const controller = new AbortController();
  let isDone = false;
  const feed = async (): Promise<void> => {
    try {
      await passOn(process.stdin, { ...cli, id, signal: controller.signal });
      isDone = true;
    } catch (error) {
      if (!controller.signal.aborted) cli.screen.note(`What is piped in is not passed on: ${messageOf(error)}`);
    }
    process.stdin.destroy();
  };
  void feed();
  return {
    isDone: () => isDone,
    stop: () => {
      controller.abort();
      process.stdin.destroy();
    },
  };
}

const chunkBytes = 512_000;

export interface Target extends Pick<CliContext, "client"> {
  readonly id: string;
  readonly signal: AbortSignal;
}

async function passOn(input: Readable, target: Target): Promise<void> {
  // Collects what comes while a call is under way, and makes the writer wait when that is much.
  const collected = new PassThrough({ highWaterMark: chunkBytes });
  input.once("error", (error) => collected.destroy(error));
  input.pipe(collected);
  const sender = randomUUID();
  let offset = 0;
  for await (const chunk of collected as AsyncIterable<Buffer>) {
    for (let rest = chunk; rest.length > 0;) {
      const piece = rest.subarray(0, chunkBytes);
      const sent = await sendPiece({ text: piece.toString("base64"), sender, offset }, target);
      if (sent === undefined) return;
      offset += sent;
      rest = rest.subarray(sent);
    }
  }
  await sendPiece({ end: true, sender, offset }, target);
}

type Piece = { readonly sender: string; readonly offset: number } & (
  | { readonly text: string }
  | { readonly end: true }
);

const slowestRetryMs = 500;

/** How many bytes were taken; undefined if the job takes no more. A job that is queued, or just being adopted, is waited for. */
export async function sendPiece(piece: Piece, { client, id, signal }: Target): Promise<number | undefined> {
  for (let retryMs = 20; ; retryMs = Math.min(slowestRetryMs, retryMs * 2)) {
    try {
      return (await client.call("job_send", { id, encoding: "base64", ...piece }, signal)).sent;
    } catch (error) {
      if (!(error instanceof LonghaulError) || error.code !== "conflict") throw error;
      if (error.details["input"] === "closed") return undefined;
      if (error.details["input"] === "open") throw error;
    }
    if (isFinished(await client.call("job_get", { id }, signal))) return undefined;
    await delay(retryMs, undefined, { signal });
  }
}
