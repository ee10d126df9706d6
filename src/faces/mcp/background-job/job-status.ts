import { assertNever } from "../../../job/error.ts";
import type { Job } from "../../../job/job.ts";

export type BackgroundJobStatus = "running" | "completed" | "failed" | "killed";

/**
 * Our states in its words. A command that ended by the signals that kill was killed, whoever
 * sent them; a shell that exits with 128 and such a signal's number looks the same.
 */
export function toBackgroundJobStatus({ state }: Job): BackgroundJobStatus {
  switch (state.status) {
    case "succeeded":
      return "completed";
    case "cancelled":
      return "killed";
    case "timed_out":
      return "failed";
    case "failed": {
      const signal = state.failure.details?.["signal"];
      return signal === "SIGKILL" || signal === "SIGTERM" ? "killed" : "failed";
    }
    case "queued":
    case "running":
    case "waiting":
      return "running";
    default:
      return assertNever(state);
  }
}
