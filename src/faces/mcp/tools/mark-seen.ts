import type { Job } from "../../../job/job.ts";
import { isTerminal } from "../../../job/state.ts";
import type { JobAccess } from "./job-tool.ts";

/**
 * A client that is told how a job ended has looked at it, so that its user's inbox does not list it. Nobody waits for that: an
 * answer does not take longer for it, and whoever may only read leaves no mark.
 */
export function markSeen(jobs: readonly Job[], { engine, actor }: JobAccess): void {
  const ids = jobs.filter(({ state }) => isTerminal(state)).map(({ id }) => id);
  if (ids.length > 0) engine.markSeen(ids, actor).catch(() => undefined);
}
