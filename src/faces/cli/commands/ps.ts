import { defined } from "../../../job/defined.ts";
import type { JobView } from "../../../operations/job-view.ts";
import type { Client } from "../../door/local-client.ts";
import type { AnswerOf } from "../../../operations/registry.ts";
import { defineCommand } from "../command.ts";
import { addFilterOptions, toFilter, type FilterOptions } from "../options/filter-options.ts";
import { detailText, isFinished, runningTime, shortId, stateText } from "../show/job-text.ts";
import { readWhole } from "../options/option-values.ts";
import { formatAgo } from "../show/duration.ts";
import { formatTable, type Column } from "../show/output-table.ts";
import type { Screen } from "../show/screen.ts";
import { escapeControls } from "../../../text/controls.ts";

interface PsOptions extends FilterOptions {
  readonly all?: true;
  readonly limit?: number;
  readonly cursor?: string;
}

const recentMs = 3_600_000;
const defaultLimit = 100;

export const ps = defineCommand<PsOptions>({
  describe: (command) => {
    addFilterOptions(command.option("-a, --all", "also jobs that ended more than an hour ago"))
      .option("--limit <count>", `maximum number of jobs to show (${defaultLimit})`, readWhole(1, 1_000))
      .option("--cursor <cursor>", "continue where the previous list ended");
  },
  run: async ({ client, screen }, options) => {
    const answer = await listJobs(client, options);
    if (options.json === true) {
      screen.printJson(answer);
      return;
    }
    if (answer.jobs.length > 0) screen.print(formatJobs(answer.jobs, screen));
    else
      screen.note(
        options.all === true ? "No jobs." : "No jobs are running, and none ended in the last hour (-a shows all).",
      );
    if (answer.cursor !== undefined) screen.note(`More: add --cursor ${answer.cursor}`);
  },
});

/** Without options: what is active, and of the newest jobs those that ended in the last hour. */
export async function listJobs(client: Client, options: PsOptions = {}): Promise<AnswerOf<"job_list">> {
  const { limit = defaultLimit, cursor } = options;
  const filter = toFilter(options);
  if (options.all === true || options.state !== undefined || cursor !== undefined) {
    return client.call("job_list", { ...filter, limit, ...defined({ cursor }) });
  }
  const [active, newest] = await Promise.all([
    client.call("job_list", { ...filter, limit, state: ["queued", "running", "waiting"] }),
    client.call("job_list", { ...filter, limit }),
  ]);
  const shown = new Map([...active.jobs, ...newest.jobs.filter(isRecent)].map((job) => [job.id, job]));
  return { jobs: [...shown.values()].toSorted(byNewest).slice(0, limit) };
}

function isRecent(job: JobView): boolean {
  return !isFinished(job) || Date.now() - Date.parse(job.finished_at ?? "") < recentMs;
}

/** Ids sort by the time of their making. */
function byNewest(a: JobView, b: JobView): number {
  return a.id < b.id ? 1 : -1;
}

function formatJobs(jobs: readonly JobView[], { style, terminal }: Screen): string {
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
