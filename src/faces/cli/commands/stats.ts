import type { AnswerOf } from "../../../operations/registry.ts";
import { defineCommand } from "../command.ts";
import { formatDuration } from "../show/duration.ts";
import { formatTable, type Column } from "../show/output-table.ts";

type KindStats = AnswerOf<"job_stats">["kinds"][number];

const countOf =
  (...states: string[]) =>
  ({ jobs }: KindStats): string =>
    String(states.reduce((sum, state) => sum + (jobs[state] ?? 0), 0));

const columns: readonly Column<KindStats>[] = [
  { title: "KIND", text: ({ kind }) => kind },
  { title: "RUNNING", text: countOf("running") },
  { title: "WAITING", text: countOf("waiting") },
  { title: "QUEUED", text: countOf("queued") },
  { title: "SUCCEEDED", text: countOf("succeeded") },
  { title: "FAILED", text: countOf("failed", "timed_out") },
  { title: "CANCELLED", text: countOf("cancelled"), leaveOut: 1 },
  { title: "LAST HOUR", text: ({ ended_last_hour: count }) => String(count) },
  { title: "LAST DAY", text: ({ ended_last_day: count }) => String(count), leaveOut: 2 },
  { title: "HALF WITHIN", text: ({ running }) => durationText(running?.p50_ms) },
  { title: "95% WITHIN", text: ({ running }) => durationText(running?.p95_ms) },
];

function durationText(ms: number | undefined): string {
  return ms === undefined ? "" : formatDuration(ms);
}

export const stats = defineCommand<object>({
  run: async ({ client, screen }, options) => {
    const answer = await client.call("job_stats", {});
    if (options.json === true) screen.printJson(answer);
    else if (answer.kinds.length === 0) screen.note("No jobs.");
    else {
      const width = screen.terminal.columns();
      screen.print(formatTable(answer.kinds, columns, { width, paintTitle: screen.style.dim }));
      screen.print(screen.style.dim("Times are of the jobs that ended in the last day."));
    }
  },
});
