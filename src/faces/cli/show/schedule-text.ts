import type { AnswerOf } from "../../../operations/registry.ts";
import type { ScheduleRunView, ScheduleView } from "../../../operations/schedule.ts";
import { escapeControls } from "../../../text/controls.ts";
import { countText } from "../../../text/count-text.ts";
import { formatAgo, formatDuration } from "./duration.ts";
import { shortId } from "./job-text.ts";
import type { Style } from "./style.ts";
import { padEnd } from "./text-width.ts";

/** `at "0 3 * * *" (Europe/Berlin)`, `every 10m`. */
export function planText({ cron, tz, every_ms: everyMs }: ScheduleView): string {
  if (cron !== undefined) return `at "${cron}" (${tz ?? ""})`;
  // As people write it: `10m`, not `10m00s`.
  return `every ${formatDuration(everyMs ?? 0).replace(/(?<=[a-z])00[a-z]$/, "")}`;
}

/** `in 4h10m`; nothing while it is paused. */
export function nextText({ next_at: nextAt }: ScheduleView): string {
  return nextAt === undefined ? "" : untilText(nextAt);
}

function untilText(iso: string): string {
  const delayMs = Date.parse(iso) - Date.now();
  return delayMs <= 0 ? "now" : `in ${formatDuration(delayMs)}`;
}

/** What came of a time: `succeeded 2h ago`, `skipped 5m ago (overlap)`. */
export function runText({ state, at, ended_at: endedAt, skipped, reason }: ScheduleRunView): string {
  const word = state === "timed_out" ? "timed out" : state;
  const why = reason === undefined ? skipped : `${skipped ?? ""}: ${escapeControls(reason)}`;
  return `${word} ${formatAgo(Date.now() - Date.parse(endedAt ?? at))}${why === undefined ? "" : ` (${why})`}`;
}

const labelWidth = 10;
const skipTexts = {
  missed: "missed, because the server did not run",
  overlap: "because the run before was not over",
  refused: "because the job was refused",
} as const;

/** All there is to know about one schedule. */
export function describeSchedule(schedule: AnswerOf<"schedule_get">, style: Style): string {
  const { name, id, state, kind, summary, missed, overlap, next, runs, counts, tz } = schedule;
  const skips = (["missed", "overlap", "refused"] as const)
    .filter((skip) => counts[skip] > 0)
    .map((skip) => `${counts[skip]} ${skipTexts[skip]}`);
  const facts: (readonly [label: string, text: string | undefined])[] = [
    ["schedule", `${name} (${id})`],
    ["state", state],
    ["reason", schedule.pause_reason],
    ["runs", planText(schedule)],
    ["starts", summary ?? kind],
    ["if missed", { skip: "not run", once: "run once", all: "run all, one after the other" }[missed]],
    ["overlap", overlap ? "allowed" : undefined],
    ...next.map((at, index) => [index === 0 ? "next" : "", `${zonedTime(at, tz)} (${untilText(at)})`] as const),
    ["so far", countText(counts.runs, "run")],
    ...skips.map((text, index) => [index === 0 ? "skipped" : "", text] as const),
    ...runs.map((run, index) => [index === 0 ? "last" : "", runLine(run, tz)] as const),
  ];
  return facts
    .filter(([, text]) => text !== undefined)
    .map(([label, text = ""]) => `${style.dim(padEnd(label, labelWidth))}  ${escapeControls(text)}`)
    .join("\n");
}

function runLine(run: ScheduleRunView, tz: string | undefined): string {
  const when = run.planned_at === undefined ? `${zonedTime(run.at, tz)} by hand` : zonedTime(run.planned_at, tz);
  return `${when}  ${run.job_id === undefined ? "" : `${shortId(run.job_id)} `}${runText(run)}`;
}

/** As clocks show it where the schedule is planned: `2026-03-29 03:00`. */
function zonedTime(iso: string, timeZone: string | undefined): string {
  return new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "medium" }).format(new Date(iso));
}
