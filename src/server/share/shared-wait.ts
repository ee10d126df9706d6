import { setTimeout as delay } from "node:timers/promises";
import type { Access } from "../../engine/access.ts";
import type { Engine } from "../../engine/engine.ts";
import {
  createCondition,
  isReached,
  type ReadableOutput,
  type WaitOptions,
  type WaitResult,
} from "../../engine/wait.ts";
import type { JobId } from "../../job/id.ts";
import type { Job } from "../../job/job.ts";
import { isTerminal } from "../../job/state.ts";

type Reads = Pick<Engine, "get" | "readOutput" | "outputSizes">;
type Send = (args: readonly unknown[], signal: AbortSignal | undefined) => Promise<unknown>;

/** How often a condition that only this process knows is looked at. */
const lookMs = 200;

/** Waits where the engine is, through changes of who has it; for what is no data, such as a function, it looks again and again. */
export function createSharedWait(reads: Reads, send: Send, ownEngine: () => Engine | undefined): Engine["wait"] {
  return async (ids, options = {}) => {
    const { signal, timeoutMs = Infinity, ...rest } = options;
    const endsAt = performance.now() + timeoutMs;
    if (!isData(options.until)) {
      const engine = ownEngine();
      return engine === undefined ? waitByLooking(ids, options, endsAt, reads) : engine.wait(ids, options);
    }
    const withRest = { ...rest, ...(timeoutMs === Infinity ? {} : { timeoutMs }) };
    const answer = send([ids, withRest], signal).catch(async (error: unknown) => {
      if (signal?.aborted !== true) throw error;
      return look(ids, options, reads);
    });
    return answer as Promise<WaitResult>;
  };
}

function isData(until: WaitOptions["until"]): boolean {
  return typeof until !== "function" && (typeof until !== "object" || "phase" in until);
}

/** The answer of a wait whose signal came first. */
async function look(ids: string | readonly string[], access: Access, { get }: Reads): Promise<WaitResult> {
  const jobs = await Promise.all([ids].flat().map((id) => get(id, access)));
  return { isReached: false, met: jobs.filter(({ state }) => isTerminal(state)).map(({ id }) => id), jobs };
}

async function waitByLooking(
  given: string | readonly string[],
  { until = "finished", signal, for: wanted = "all", timeoutMs: _timeoutMs, ...access }: WaitOptions & Access,
  endsAt: number,
  reads: Reads,
): Promise<WaitResult> {
  const ids = [...new Set([given].flat())];
  const condition = createCondition(until, toOutput(reads, access));
  const met = new Set<JobId>();
  const jobs = new Map<JobId, Job>();
  for (;;) {
    for (const id of ids) {
      const job = await reads.get(id, access);
      jobs.set(job.id, job);
      if (isTerminal(job.state) || (await condition(job))) met.add(job.id);
    }
    const hasHappened = isReached(wanted, ids.length, met, jobs);
    const isOver = hasHappened || performance.now() >= endsAt || signal?.aborted === true;
    if (isOver) return { isReached: hasHappened, met: [...met], jobs: [...jobs.values()] };
    const left = Math.min(lookMs, Math.max(1, endsAt - performance.now()));
    await delay(left, undefined, { ...(signal === undefined ? {} : { signal }) }).catch(() => undefined);
  }
}

/** The output of jobs, as conditions read it. */
function toOutput({ readOutput, outputSizes }: Reads, access: Access): ReadableOutput {
  const sizes = (id: string, attempt: number): ReturnType<Reads["outputSizes"]> => outputSizes(id, attempt, access);
  return {
    streams: async (id, attempt) => Object.keys(await sizes(id, attempt)),
    measure: async ({ id, attempt, stream }) => (await sizes(id, attempt))[stream] ?? { size: 0, dropped: 0 },
    read: ({ id, attempt, stream }, from, limit) => readOutput(id, { attempt, stream, from, limit }, access),
  };
}
