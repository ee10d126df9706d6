import type { JobView } from "../../operations/job-view.ts";
import { formatAgo } from "./duration.ts";
import { detailText, isFinished, runningTime, shortId, stateText } from "./job-text.ts";
import { formatTable, type Column } from "./output-table.ts";
import type { Screen } from "./screen.ts";
import { escapeControls } from "./text-width.ts";

export function formatJobs(jobs: readonly JobView[], { style, terminal }: Screen): string {
  const now = Date.now();
  const columns: readonly Column<JobView>[] = [
    { title: "ID", text: ({ id }) => shortId(id), paint: (_job, text) => style.bold(text) },
    { title: "STATE", text: stateText, paint: ({ state }, text) => style.state(state, text) },
    { title: "AGE", text: (job) => formatAgo(now - Date.parse(job.created_at)) },
    { title: "TIME", text: (job) => runningTime(job, now) },
    { title: "KIND", text: ({ kind }) => (jobs.every((job) => job.kind === "shell") ? "" : kind) },
    { title: "NAME", text: ({ name = "" }) => escapeControls(name) },
    { title: "COMMAND", text: commandText },
  ];
  return formatTable(jobs, columns, { width: terminal.columns(), paintTitle: style.dim });
}

/** What it runs and, while there is something to say about it, where it is. */
function commandText(job: JobView): string {
  const command = escapeControls(job.summary ?? "");
  const detail = isFinished(job) ? "" : detailText(job);
  return detail === "" ? command : `${command}  · ${detail}`;
}
