import { LonghaulError } from "../../job/error.ts";
import type { Job } from "../../job/job.ts";
import { isTerminal } from "../../job/state.ts";
import { sayStatus } from "../../job/status-words.ts";

/**
 * Refuses to remove a job that has not ended, or that its parent may still look at. What depended on it has started or
 * ended with it, and its children go on: neither needs it any more.
 */
export function requireRemovable({ id, state }: Job, parent: Job | undefined): void {
  if (!isTerminal(state)) {
    throw new LonghaulError("conflict", `Job ${id} ${sayStatus(state.status)}: cancel it before you remove it.`);
  }
  if (parent === undefined || isTerminal(parent.state)) return;
  throw new LonghaulError(
    "conflict",
    `Job ${id} belongs to job ${parent.id}, which ${sayStatus(parent.state.status)} and may still need it.`,
  );
}
