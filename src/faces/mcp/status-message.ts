import { assertNever } from "../../job/error.ts";
import type { Job } from "../../job/job.ts";
import type { HeldState, Progress } from "../../job/state.ts";

const longest = 80;

/** One line on where a job stands, short enough for a status bar: `62% · page 31/50 · ~2m left`. */
export function statusMessage(job: Job, now: number): string {
  return shorten(describe(job, now), longest);
}

/** The text on one line, cut with an ellipsis if it is too long. */
export function shorten(text: string, most: number): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length <= most ? line : `${line.slice(0, most - 1)}…`;
}

function describe({ state }: Job, now: number): string {
  switch (state.status) {
    case "queued":
      return state.runAt > now ? `queued, starts in ${duration(state.runAt - now)}` : "queued";
    case "running":
    case "waiting":
      return describeHeld(state, now);
    case "succeeded":
      return state.partial ? "done, in part" : "done";
    case "failed":
    case "timed_out":
      return state.failure.message;
    case "cancelled":
      return state.reason.startsWith("cancelled") ? state.reason : `cancelled: ${state.reason}`;
    default:
      return assertNever(state);
  }
}

function describeHeld(state: HeldState, now: number): string {
  if (state.cancelRequest !== undefined) return "being cancelled";
  if (state.status === "waiting") return "waiting for an answer";
  const elapsedMs = now - state.startedAt;
  const parts = [...progressParts(state.progress), ...remaining(state.progress, elapsedMs)];
  if (state.stalledSince !== undefined) parts.push(`silent for ${duration(now - state.stalledSince)}`);
  return parts.length === 0 ? `running for ${duration(elapsedMs)}` : parts.join(" · ");
}

function progressParts(progress: Progress | undefined): string[] {
  if (progress === undefined) return [];
  const { percent, phase, message, counts } = progress;
  const count = counts === undefined ? "" : `${counts.done}${counts.total === undefined ? "" : `/${counts.total}`}`;
  return [
    percent === undefined ? "" : `${Math.round(percent)}%`,
    [phase, count].filter((part) => part !== undefined && part !== "").join(" "),
    message ?? "",
  ].filter((part) => part !== "");
}

/** Said only when enough is done to tell. */
function remaining(progress: Progress | undefined, elapsedMs: number): string[] {
  const leftMs = remainingMs(progress, elapsedMs);
  return leftMs === undefined ? [] : [`~${duration(leftMs)} left`];
}

export function remainingMs(progress: Progress | undefined, elapsedMs: number): number | undefined {
  const percent = progress?.percent;
  if (percent === undefined || percent < 2 || percent >= 100 || elapsedMs < 2_000) return undefined;
  return (elapsedMs * (100 - percent)) / percent;
}

export function duration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  if (seconds < 90) return `${seconds}s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? `${minutes}m` : `${Math.round(minutes / 60)}h`;
}
