import { assertNever } from "../../../job/error.ts";
import type { Job } from "../../../job/job.ts";
import {
  exitCodeOf,
  isTerminal,
  type HeldState,
  type Progress,
  type QueuedState,
  type TerminalState,
} from "../../../job/state.ts";
import { stripControls } from "../../../text/controls.ts";

const longest = 80;
const longestLabel = 30;

/** What is known of a job besides its state. */
export interface Activity {
  /** The last line that it wrote. */
  readonly line?: string;
  /** What it asks. */
  readonly question?: string;
}

/** One line for a status bar that has a clock of its own: `build · compiling src/main.c`, `crawl · 62% · page 31/50 · ~2m left`. */
export function statusMessage(job: Job, now: number, { line, question }: Activity = {}): string {
  const { state } = job;
  const label = job.name === undefined ? [] : [shorten(job.name, longestLabel)];
  if (isTerminal(state)) return shorten([exitText(job) ?? describeEnd(state), ...label].join(" · "), longest);
  const said = state.status === "waiting" ? undefined : line;
  const parts = [...label, ...describeOpen(state, now, question), ...(said === undefined ? [] : [said])];
  return shorten(parts.length > label.length ? parts.join(" · ") : [...parts, "running"].join(" · "), longest);
}

/** The text on one line, cut with an ellipsis if it is too long. */
export function shorten(text: string, max: number): string {
  const line = stripControls(text).replaceAll(/\s+/g, " ").trim();
  return line.length <= max ? line : `${line.slice(0, max - 1)}…`;
}

/** `exit code 7 after 45 s`; undefined for a job that has left no exit code. */
export function exitText({ kind, state }: Job): string | undefined {
  if (!isTerminal(state) || state.startedAt === undefined) return undefined;
  const code = exitCodeOf(kind, state);
  if (typeof code !== "number") return undefined;
  const signal = "failure" in state ? state.failure.details?.["signal"] : undefined;
  const by = typeof signal === "string" ? ` (${signal})` : "";
  return `exit code ${code}${by} after ${elapsed(state.finishedAt - state.startedAt)}`;
}

/** How a job ended, besides its exit code. */
export function describeEnd(state: TerminalState): string {
  switch (state.status) {
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

/** Where a job stands, in parts; none if all that can be said is that it runs. */
export function describeOpen(state: QueuedState | HeldState, now: number, question?: string): string[] {
  if (state.status === "queued") {
    return [state.runAt > now ? `queued, starts in ${duration(state.runAt - now)}` : "queued"];
  }
  if (state.cancelRequest !== undefined) return ["being cancelled"];
  if (state.status === "waiting") {
    return [question === undefined ? "waiting for an answer" : `waiting for your answer: ${question}`];
  }
  return describeRunning(state, now);
}

function describeRunning(state: HeldState, now: number): string[] {
  const parts = [...progressParts(state.progress), ...remaining(state.progress, now - state.startedAt)];
  return state.stalledSince === undefined ? parts : [...parts, `silent for ${duration(now - state.stalledSince)}`];
}

/** The phase of a service that can be used. */
export function isUp({ state }: Job): boolean {
  return state.status === "running" && state.progress?.phase === "ready";
}

function progressParts(progress: Progress | undefined): string[] {
  if (progress === undefined) return [];
  const { percent, phase, message, counts } = progress;
  const count = counts === undefined ? "" : `${counts.done}${counts.total === undefined ? "" : `/${counts.total}`}`;
  return [
    percent === undefined ? "" : `${Math.round(percent)}%`,
    [phase === "ready" ? "it is up" : phase, count].filter((part) => part !== undefined && part !== "").join(" "),
    message === phase ? "" : (message ?? ""),
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

/** The same in a sentence: `0.4 s`, `45 s`, `12 min`. */
export function elapsed(ms: number): string {
  const seconds = Math.max(0, ms / 1_000);
  if (seconds < 90) return `${seconds < 10 ? Math.round(seconds * 10) / 10 : Math.round(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}
