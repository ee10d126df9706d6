import { BoundedMap } from "../../../job/bounded-map.ts";
import type { Job } from "../../../job/job.ts";
import { isTerminal } from "../../../job/state.ts";
import type { OperationContext } from "../../../operations/operation.ts";
import { toRunpodStatus } from "./runpod-status.ts";
import { readChunks, type RunpodReply } from "./runpod-operations.ts";

const maxReplyBytes = 4_000_000;
const maxCursors = 10_000;

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

/**
 * How far the stream of each job was read: RunPod gives each chunk once. A reader that says how many chunks it has gets
 * those that follow, so that a lost reply loses nothing. Kept in memory: after a restart of the server a stream begins again.
 */
export class StreamCursors {
  readonly #cursors = new BoundedMap<string, Cursor>(maxCursors);

  /** The chunks that come next; waits for some, at most so long. */
  async take(context: OperationContext, job: Job, { waitMs, have }: TakeOptions): Promise<RunpodReply> {
    const endsAt = performance.now() + waitMs;
    const isAstray = have !== undefined && have !== this.#of(job).count;
    if (isAstray) this.#cursors.delete(job.id);
    let toSkip = isAstray ? have : 0;
    for (let seen = job; ;) {
      const before = this.#of(seen);
      const read = await readChunks(context, seen, { from: before.at, maxBytes: maxReplyBytes });
      if (context.signal?.aborted === true) return { status: toRunpodStatus(seen), stream: [] };
      // Somebody else was given them in the meantime.
      if (this.#of(seen).at !== before.at) continue;
      this.#cursors.set(seen.id, { ...before, at: read.next, count: before.count + read.chunks.length });
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

  #of({ id, state: { attempt } }: Job): Cursor {
    const cursor = this.#cursors.get(id);
    return cursor?.attempt === attempt ? cursor : { attempt, at: 0, count: 0 };
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
