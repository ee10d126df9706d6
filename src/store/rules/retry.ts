import { LonghaulError } from "../../job/error.ts";
import type { Job } from "../../job/job.ts";
import { retryByHand, type Change } from "../../job/transitions.ts";
import { sayStatus } from "../../job/status-words.ts";

/** The change that gives a job a new attempt; refused unless it ended without success. */
export function requireRetry(job: Job, { at, by }: { at: number; by?: string }): Change {
  const change = retryByHand(job, at, by);
  if (change !== undefined) return change;
  throw new LonghaulError(
    "conflict",
    `Job ${job.id} ${sayStatus(job.state.status)}; only a job that failed, timed out or was cancelled can be retried.`,
  );
}
