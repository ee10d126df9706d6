import { isTerminal } from "../../job/state.ts";
import type { JobAccess } from "./job-tool.ts";

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
