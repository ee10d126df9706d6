import type { JobStatus } from "./state.ts";

const words: Readonly<Record<JobStatus, string>> = {
  queued: "is queued",
  running: "is running",
  waiting: "is waiting for an answer",
  succeeded: "has succeeded",
  failed: "has failed",
  timed_out: "has timed out",
  cancelled: "was cancelled",
};

/** What follows "it" or "the job" in a sentence: `has succeeded`. */
export function sayStatus(status: JobStatus): string {
  return words[status];
}
