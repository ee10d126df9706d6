import type { Marks } from "../../../engine/marks.ts";
import type { Job } from "../../../job/job.ts";
import { isTerminal } from "../../../job/state.ts";
import type { OperationContext } from "../../../operations/operation.ts";
import { toRunpodStatus } from "./runpod-status.ts";
import { readChunks, type RunpodReply } from "./runpod-operations.ts";

const maxReplyBytes = 4_000_000;

interface Cursor {
  readonly attempt: number;
  /** Where to read on. */
  readonly at: number;
  /** How many chunks stand before it. */
  readonly count: number;
}

export interface TakeOptions {
  readonly waitMs: number;
  /** How many chunks the reader has already; undefined if it does not say. */
  readonly have: number | undefined;
}

/** The chunks of a job that come next; waits for some, at most so long. */
export async function takeChunks(
  context: OperationContext,
  job: Job,
  { waitMs, have }: TakeOptions,
): Promise<RunpodReply> {
  const endsAt = performance.now() + waitMs;
  const cursors = new StreamCursor(context.engine.marks, job);
  let toSkip = await cursors.rewind(have);
  for (let seen = job; ;) {
    const cursor = await cursors.get(seen);
    const read = await readChunks(context, seen, { from: cursor.at, maxBytes: maxReplyBytes });
    if (context.signal?.aborted === true) return { status: toRunpodStatus(seen), stream: [] };
    // Somebody else was given them in the meantime.
    if (!(await cursors.moveOn(read.next, read.chunks.length))) continue;
    const stream = read.chunks.slice(toSkip);
    toSkip -= read.chunks.length - stream.length;
    const leftMs = endsAt - performance.now();
    if (stream.length > 0 || (!read.isMore && isTerminal(seen.state)) || leftMs <= 0) {
      // A client stops at a status that is final: not before it has everything.
      const status = read.isMore && isTerminal(seen.state) ? "IN_PROGRESS" : toRunpodStatus(seen);
      return { status, stream, ...(have === undefined ? {} : { have }) };
    }
    if (!read.isMore) seen = await waitForMore(context, seen, read.end, leftMs);
  }
}

/**
 * How far the stream of a job was read: RunPod gives each chunk once. A reader that says how many chunks it has gets
 * those that follow, so that a lost reply loses nothing. Kept in the store, for whichever server is asked next.
 */
class StreamCursor {
  readonly #marks: Marks;
  readonly #job: Job;
  #text: string | undefined;
  #cursor: Cursor;

  constructor(marks: Marks, job: Job) {
    this.#marks = marks;
    this.#job = job;
    this.#cursor = { attempt: job.state.attempt, at: 0, count: 0 };
  }

  get #name(): string {
    return `stream of ${this.#job.id}`;
  }

  /** Begins anew for a reader that has not as many chunks as were given; says how many it has to be spared then. */
  async rewind(have: number | undefined): Promise<number> {
    const { attempt, count } = await this.get(this.#job);
    if (have === undefined || have === count) return 0;
    await this.#set({ attempt, at: 0, count: 0 });
    return have;
  }

  async get({ state: { attempt } }: Job): Promise<Cursor> {
    this.#text = await this.#marks.get(this.#name);
    const cursor = this.#text === undefined ? undefined : (JSON.parse(this.#text) as Cursor);
    this.#cursor = cursor?.attempt === attempt ? cursor : { attempt, at: 0, count: 0 };
    return this.#cursor;
  }

  /** False if somebody else has moved it since it was read. */
  async moveOn(at: number, chunks: number): Promise<boolean> {
    const { attempt, count } = this.#cursor;
    if (chunks === 0 && at === this.#cursor.at) return true;
    return this.#set({ attempt, at, count: count + chunks });
  }

  #set(cursor: Cursor): Promise<boolean> {
    return this.#marks.replace(this.#name, this.#text, JSON.stringify(cursor));
  }
}

async function waitForMore(
  { engine, actor, signal }: OperationContext,
  job: Job,
  end: number,
  timeoutMs: number,
): Promise<Job> {
  const { attempt } = job.state;
  const hasMore = async ({ id, state }: Job): Promise<boolean> =>
    state.attempt !== attempt || (await engine.readOutput(id, { attempt, from: end, limit: 1 }, actor)).size > end;
  const { jobs } = await engine.wait(job.id, { until: hasMore, timeoutMs, ...actor, signal });
  return jobs[0] ?? job;
}
