import { setTimeout as delay } from "node:timers/promises";
import { isTerminal } from "../../../job/state.ts";
import type { JobAccess } from "../tools/job-tool.ts";

/**
 * Calls `tell` once, and then whenever something has happened to the job, until it has ended or the signal comes. What `tell` says it reads
 * itself, so it never says anything older than what a request would be answered. Ends quietly for a job that is gone.
 */
export async function watchJob(
  id: string,
  { engine, actor }: JobAccess,
  signal: AbortSignal,
  tell: () => Promise<void>,
): Promise<void> {
  try {
    const before = await engine.get(id, actor);
    await tell();
    if (isTerminal(before.state)) return;
    for await (const _event of engine.follow(id, { after: before.lastSeq, signal, ...actor })) {
      if (signal.aborted) return;
      await tell();
    }
  } catch {
    // The job has expired, or the engine stops: there is nothing more to tell.
  }
}

/** Readers fetch what was written themselves, so they need not be told of every line. */
const restMs = 500;

/** As `watchJob`, and also while the job writes. */
export async function watchOutput(
  id: string,
  access: JobAccess,
  signal: AbortSignal,
  tell: () => Promise<void>,
): Promise<void> {
  await Promise.all([watchJob(id, access, signal, tell), watchGrowth(id, access, signal, tell)]);
}

async function watchGrowth(
  id: string,
  { engine, actor }: JobAccess,
  signal: AbortSignal,
  tell: () => Promise<void>,
): Promise<void> {
  const measure = async (): Promise<number> => {
    const sizes = await engine.outputSizes(id, undefined, actor);
    return Object.values(sizes).reduce((sum, { size }) => sum + size, 0);
  };
  try {
    for (let known = await measure(); !signal.aborted;) {
      const until = async (): Promise<boolean> => (await measure()) !== known;
      const { jobs } = await engine.wait(id, { ...actor, until, signal });
      if (signal.aborted || jobs.every(({ state }) => isTerminal(state))) return;
      known = await measure();
      await tell();
      await delay(restMs, undefined, { signal, ref: false });
    }
  } catch {
    // As above; a delay that is called off ends here too.
  }
}
