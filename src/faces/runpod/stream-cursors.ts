import type { ServerResponse } from "node:http";
import { defined } from "../../job/defined.ts";
import type { Job } from "../../job/job.ts";
import { isTerminal } from "../../job/state.ts";
import type { OperationContext } from "../../operations/operation.ts";
import { toRunpodStatus } from "./runpod-status.ts";
import { readChunks, type RunpodReply } from "./runpod-verbs.ts";

const mostReplyBytes = 4_000_000;
const mostCursors = 10_000;

interface Cursor {
  readonly attempt: number;
  readonly at: number;
}

/**
 * How far the stream of each job was read: RunPod gives each chunk once. Kept in memory, so that after a restart of the server a
 * stream begins again; and a reply that could not be sent was not given.
 */
export class StreamCursors {
  readonly #cursors = new Map<string, Cursor>();

  /** The next read of the job's stream begins at its beginning. */
  rewind(job: Job): void {
    this.#cursors.delete(job.id);
  }

  /** The chunks that nobody was given yet; waits for some, at most so long. */
  async take(context: OperationContext, job: Job, waitMs: number, response: ServerResponse): Promise<RunpodReply> {
    const endsAt = performance.now() + waitMs;
    for (let seen = job; ;) {
      const from = this.#at(seen);
      const { chunks, next, end, isMore } = await readChunks(context, seen, { from, mostBytes: mostReplyBytes });
      if (context.signal?.aborted === true) return { status: toRunpodStatus(seen), stream: [] };
      // Somebody else was given them in the meantime.
      if (this.#at(seen) !== from) continue;
      this.#advance(seen, next);
      const leftMs = endsAt - performance.now();
      if (chunks.length > 0 || isMore || isTerminal(seen.state) || leftMs <= 0) {
        response.once("close", () => {
          if (!response.writableFinished && this.#at(seen) === next) this.#advance(seen, from);
        });
        // A client stops at a status that is final: not before it has everything.
        const status = isMore && isTerminal(seen.state) ? "IN_PROGRESS" : toRunpodStatus(seen);
        return { status, stream: chunks };
      }
      seen = await waitForMore(context, seen, end, leftMs);
    }
  }

  #at({ id, state }: Job): number {
    const cursor = this.#cursors.get(id);
    return cursor?.attempt === state.attempt ? cursor.at : 0;
  }

  #advance({ id, state }: Job, at: number): void {
    this.#cursors.delete(id);
    this.#cursors.set(id, { attempt: state.attempt, at });
    const [oldest] = this.#cursors.keys();
    if (this.#cursors.size > mostCursors && oldest !== undefined) this.#cursors.delete(oldest);
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
  const { jobs } = await engine.wait(job.id, { until: hasMore, timeoutMs, ...actor, ...defined({ signal }) });
  return jobs[0] ?? job;
}
