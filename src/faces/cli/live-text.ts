import type { JobView } from "../../operations/job-view.ts";
import { formatDuration } from "./duration.ts";
import { detailText, progressText, runningTime, shortId, stateText } from "./job-text.ts";
import { escapeControls } from "./text-width.ts";

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
