import { LonghaulError } from "../../job/error.ts";
import type { JobId } from "../../job/id.ts";
import type { Job } from "../../job/job.ts";
import { isTerminal } from "../../job/state.ts";
import { sayStatus } from "../../job/status-words.ts";

/** Refuses a dependency that can never be met. Somebody else's job looks as if there were none. */
export function requireDependency<Found extends { readonly job: Job }>(
  found: Found | undefined,
  id: JobId,
  owner: string,
): Found {
  if (found === undefined || found.job.owner !== owner) {
    throw new LonghaulError("not_found", `There is no job ${id} to depend on.`, { details: { job: id } });
  }
  const { state } = found.job;
  if (isTerminal(state) && state.status !== "succeeded") {
    throw new LonghaulError(
      "conflict",
      `Job ${id} ${sayStatus(state.status)}, so a job that depends on it would never start: retry it first.`,
      { details: { job: id } },
    );
  }
  return found;
}

/** How many of the jobs that another depends on are still to succeed. */
export function countBlocking(needed: readonly Job[]): number {
  return needed.filter(({ state }) => state.status !== "succeeded").length;
}
