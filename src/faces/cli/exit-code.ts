import type { JobView } from "../../operations/job-view.ts";
import { assertNever, LonghaulError, type ErrorCode } from "../../job/error.ts";
import { BrokenCallError, NotRunningError } from "../door/local-client.ts";
import { ServerError, VersionError } from "./server/server-error.ts";

/** What the exit codes of this program mean, beside those of the jobs themselves. */
export const exitCodes = {
  done: 0,
  failed: 1,
  badInput: 2,
  noServer: 3,
  /** Of `longhaul ask`: somebody declined to answer, or dismissed the question. */
  declined: 4,
  dismissed: 5,
  waitTimedOut: 124,
  interrupted: 130,
  /** The reader of its output is gone, as a signal would say it (128 + SIGPIPE). */
  outputClosed: 141,
  /** Longhaul ended the job: it was cancelled or ran out of its time (128 + SIGTERM). */
  jobEnded: 143,
} as const;

const badInputCodes: ReadonlySet<ErrorCode> = new Set([
  "invalid_input",
  "unknown_kind",
  "too_large",
  "not_found",
  "expired",
  "conflict",
  "not_allowed",
]);

export function toExitCode(error: unknown): number {
  if (error instanceof VersionError) return exitCodes.badInput;
  if (isServerLack(error)) return exitCodes.noServer;
  if (!(error instanceof LonghaulError)) return exitCodes.failed;
  if (error.code === "stopped") return exitCodes.noServer;
  return badInputCodes.has(error.code) ? exitCodes.badInput : exitCodes.failed;
}

function isServerLack(error: unknown): boolean {
  return error instanceof ServerError || error instanceof NotRunningError || error instanceof BrokenCallError;
}

/** The exit code that says how a finished job ended: its own where it has one. */
export function jobExitCode(job: JobView): number {
  switch (job.state) {
    case "succeeded":
      return exitCodes.done;
    case "cancelled":
    case "timed_out":
      return exitCodes.jobEnded;
    case "failed":
      return job.exit_code ?? exitCodes.failed;
    case "queued":
    case "running":
    case "waiting":
      return exitCodes.waitTimedOut;
    default:
      return assertNever(job.state);
  }
}
