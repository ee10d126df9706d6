import type { JobView } from "../../../../operations/job-view.ts";
import { visible } from "../core/format.ts";
import { Ago, ProgressBar, progressWords, RunTime, StateMark } from "../ui/parts.tsx";
import type { Column } from "../ui/table.tsx";

export function hrefOf({ id }: JobView): string {
  return `/jobs/${encodeURIComponent(id)}`;
}

export const jobColumns: readonly Column<JobView>[] = [
  { head: "State", width: "104px", area: "side", cell: (job) => <StateMark state={job.state} /> },
  { head: "Kind", width: "72px", cell: (job) => <span class="muted">{visible(job.kind)}</span> },
  {
    head: "Job",
    width: "minmax(160px, 2.4fr)",
    area: "title",
    cell: (job) => (
      <>
        <b>{visible(job.name ?? job.summary ?? job.id.slice(-12))}</b>
        {job.name !== undefined && job.summary !== undefined && <span class="muted"> {visible(job.summary)}</span>}
      </>
    ),
  },
  {
    head: "Progress",
    width: "minmax(120px, 1.6fr)",
    area: "line",
    cell: (job) =>
      job.error !== undefined && (job.state === "failed" || job.state === "timed_out") ? (
        <span class="failure-line">{visible(job.error.message)}</span>
      ) : job.state === "running" || job.state === "waiting" ? (
        <span class="going">
          <ProgressBar job={job} />
          <span class="muted">{visible(progressWords(job))}</span>
        </span>
      ) : (
        <span class="muted">{visible(job.reason ?? "")}</span>
      ),
  },
  { head: "Time", width: "84px", cell: (job) => <RunTime job={job} /> },
  {
    head: "When",
    width: "84px",
    area: "end",
    cell: (job) => <Ago at={job.finished_at ?? job.started_at ?? job.created_at} />,
  },
];
