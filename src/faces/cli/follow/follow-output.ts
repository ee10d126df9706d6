import { setTimeout as delay } from "node:timers/promises";
import type { Client } from "../../door/local-client.ts";
import type { AnswerOf } from "../../../operations/registry.ts";
import { isFinished } from "../show/job-text.ts";

/** A piece of one stream. `from` is beyond the `next` of the piece before where bytes were dropped. */
export interface OutputPiece {
  readonly stream: string;
  readonly attempt: number;
  readonly bytes: Uint8Array;
  readonly from: number;
  readonly next: number;
  /** How many bytes before this piece were dropped. */
  readonly missing: number;
}

export interface FollowOptions {
  readonly client: Client;
  readonly id: string;
  /** The attempt to begin with; later ones follow unless `isOneAttempt`. */
  readonly attempt: number;
  readonly isOneAttempt?: boolean;
  readonly streams: readonly string[];
  /** Where each stream is read from in the first attempt. */
  readonly from?: (stream: string) => number;
  readonly grep?: string;
  readonly signal: AbortSignal;
  readonly write: (piece: OutputPiece) => Promise<void>;
  /** Takes what is to be said about a search. */
  readonly note?: (text: string) => void;
}

const waitMs = 2_000;
const chunkBytes = 256_000;
const betweenAttemptsMs = 200;

/**
 * Hands over the output of a job as it comes, attempt by attempt, and resolves with the job when it has ended and all
 * of it was handed over. Each stream is read by itself: how they are merged may still change while the job runs.
 */
export async function followOutput(options: FollowOptions): Promise<AnswerOf<"job_get">> {
  const { client, id, signal } = options;
  let { attempt } = options;
  let from = options.from ?? (() => 0);
  for (;;) {
    await Promise.all(options.streams.map((stream) => followStream(options, stream, attempt, from(stream))));
    const job = await client.call("job_get", { id }, signal);
    if (options.isOneAttempt === true || (isFinished(job) && job.attempt <= attempt)) return job;
    if (job.attempt > attempt) {
      attempt = job.attempt;
      from = () => 0;
    } else await delay(betweenAttemptsMs, undefined, { signal });
  }
}

async function followStream(options: FollowOptions, stream: string, attempt: number, start: number): Promise<void> {
  const { client, id, grep, signal } = options;
  const fixed = { id, stream, attempt, limit: chunkBytes, wait_ms: waitMs, encoding: "base64" as const, grep };
  let from = start;
  for (;;) {
    const answer = await client.call("job_output", { ...fixed, from }, signal);
    if (answer.note !== undefined) options.note?.(answer.note);
    if (answer.text !== "") {
      const bytes = Buffer.from(answer.text, "base64");
      await options.write({
        stream,
        attempt,
        bytes,
        from: answer.from,
        next: answer.next,
        missing: answer.from - from,
      });
    }
    from = answer.next;
    if (answer.is_complete) return;
  }
}
