import type { JobView } from "../../../operations/job-view.ts";
import type { AnswerOf } from "../../../operations/registry.ts";
import { escapeControls } from "../../../text/controls.ts";
import { formatAgo } from "./duration.ts";
import { detailText, isFinished, runningTime, shortId, stateText } from "./job-text.ts";
import { formatTable, type Column } from "./output-table.ts";
import type { Screen } from "./screen.ts";

/** One line for each job; a terminal that is too narrow for all columns gets fewer. */
export function formatJobs(jobs: readonly JobView[], { style, terminal }: Screen, width = terminal.columns()): string {
  const now = Date.now();
  const columns: readonly Column<JobView>[] = [
    { title: "ID", text: ({ id }) => shortId(id), paint: (_job, text) => style.bold(text) },
    { title: "STATE", text: stateText, paint: ({ state }, text) => style.state(state, text) },
    { title: "AGE", text: (job) => formatAgo(now - Date.parse(job.created_at)), leaveOut: 1 },
    { title: "TIME", text: (job) => runningTime(job, now), leaveOut: 3 },
    { title: "KIND", text: ({ kind }) => (jobs.every((job) => job.kind === "shell") ? "" : kind), leaveOut: 2 },
    { title: "NAME", text: ({ name = "" }) => escapeControls(name), leaveOut: 4 },
    { title: "COMMAND", text: commandText },
  ];
  return formatTable(jobs, columns, { width, paintTitle: style.dim });
}

/** What it runs and, while there is something to say about it, where it is. */
export function commandText(job: JobView): string {
  const command = escapeControls(job.summary ?? "");
  const detail = isFinished(job) ? "" : detailText(job);
  return detail === "" ? command : `${command}  · ${detail}`;
}

const groups: readonly JobView["state"][] = ["running", "waiting", "queued"];

/** What runs, what waits for an answer, the queue from its head, and what has ended; the newest first. */
export function inOrder(jobs: readonly JobView[]): JobView[] {
  return jobs.toSorted((one, other) => {
    const byGroup = groupOf(one) - groupOf(other);
    if (byGroup !== 0) return byGroup;
    return one.state === "queued" ? byTurn(one, other) : byAge(other, one);
  });
}

function groupOf({ state }: JobView): number {
  return groups.includes(state) ? groups.indexOf(state) : groups.length;
}

function byTurn(one: JobView, other: JobView): number {
  const first = one.jobs_ahead ?? Infinity;
  const second = other.jobs_ahead ?? Infinity;
  return first === second ? byAge(one, other) : first - second;
}

/** Ids sort by the time of their making. */
function byAge(one: JobView, other: JobView): number {
  return one.id < other.id ? -1 : 1;
}

/** `2 running, 1 waiting, 14 queued, 120 ended`. */
export function totalsText(counts: AnswerOf<"job_count">["counts"]): string {
  const totals = new Map<string, number>();
  for (const { state, count } of counts) {
    const word = groups.find((group) => group === state) ?? "ended";
    totals.set(word, (totals.get(word) ?? 0) + count);
  }
  return [...groups, "ended"].flatMap((word) => (totals.has(word) ? [`${totals.get(word)} ${word}`] : [])).join(", ");
}
