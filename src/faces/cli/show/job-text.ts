import type { JobView } from "../../../operations/job-view.ts";
import { escapeControls } from "../../../text/controls.ts";
import { countText } from "../../../text/count-text.ts";
import { formatDuration } from "./duration.ts";

const shortIdLength = 8;

/** Enough of an id to find its job by. */
export function shortId(id: string): string {
  return id.slice(-shortIdLength);
}

/** What a person calls the job: its short id and, in brackets, its name. */
export function jobLabel({ id, name }: Pick<JobView, "id" | "name">): string {
  return name === undefined ? shortId(id) : `${shortId(id)} (${escapeControls(name)})`;
}

/** The state in one or two words: `failed (2)`, `cancelling`. */
export function stateText(job: JobView): string {
  if (job.state === "failed" && typeof job.exit_code === "number") return `failed (${job.exit_code})`;
  if (job.state === "succeeded" && job.partial === true) return "succeeded in part";
  if (job.cancel_requested === true) return "cancelling";
  return job.state === "timed_out" ? "timed out" : job.state;
}

/** How long the job has run or ran; empty if it never started. */
export function runningTime(job: JobView, now = Date.now()): string {
  if (job.started_at === undefined) return "";
  const end = job.finished_at === undefined ? now : Date.parse(job.finished_at);
  return formatDuration(end - Date.parse(job.started_at));
}

/** Progress as the kind tells it: `45% · linking · 9/20`. Of work that is all done, only what was said of it last. */
export function progressText({ progress, state }: JobView): string {
  if (progress === undefined) return "";
  if (state === "succeeded") return escapeControls(progress.message ?? "");
  const { percent, phase, message, done, total } = progress;
  const parts = [
    percent === undefined ? "" : `${Math.floor(percent)}%`,
    message === undefined ? (phase ?? "") : message,
    done === undefined ? "" : total === undefined ? String(done) : `${done}/${total}`,
  ];
  return escapeControls(parts.filter((part) => part !== "").join(" · "));
}

/** What there is to know beside the state: why it waits, what went wrong, how far it is. */
export function detailText(job: JobView): string {
  const [question] = job.questions ?? [];
  const isStalled = job.stalled_since !== undefined;
  const detail = question?.message ?? job.error?.message ?? queueText(job) ?? progressText(job);
  return escapeControls(isStalled && detail === "" ? "no sign of life for a while" : detail);
}

/** Why it was cancelled, or why it is queued and how many go first. */
function queueText({ reason, jobs_ahead: ahead = 0 }: JobView): string | undefined {
  return reason === undefined || ahead === 0 ? reason : `${countText(ahead, "job")} ahead, ${reason}`;
}

/** One sentence on how a job ended, or where it is. */
export function outcomeText(job: JobView): string {
  const time = runningTime(job);
  const isToldByCode = job.error?.code === "exit_code";
  const detail = isToldByCode ? "" : detailText(job);
  return `${stateText(job)}${time === "" ? "" : ` ${isFinished(job) ? "after" : "for"} ${time}`}${detail === "" ? "" : `: ${detail}`}`;
}

export function isFinished({ state }: Pick<JobView, "state">): boolean {
  return state !== "queued" && state !== "running" && state !== "waiting";
}

/** Where a job is, on one line: state, time, progress, what it wants, its last line of output. */
export function liveText(job: JobView, lastLine = ""): string {
  const parts = [
    `${stateText(job)} ${elapsed(job)}`,
    wish(job),
    progressText(job) || waitText(job),
    escapeControls(lastLine),
  ];
  return parts.filter((part) => part !== "").join(" · ");
}

function elapsed(job: JobView): string {
  return runningTime(job) || formatDuration(Date.now() - Date.parse(job.created_at));
}

function waitText(job: JobView): string {
  return job.state === "queued" ? detailText(job) : "";
}

/** What somebody can do for it. */
function wish(job: JobView): string {
  const [question] = job.questions ?? [];
  if (question !== undefined) return `asks: ${escapeControls(question.message)} (longhaul answer ${shortId(job.id)})`;
  return job.live?.["reads_input"] === true ? `reads its input (longhaul send ${shortId(job.id)} TEXT)` : "";
}
