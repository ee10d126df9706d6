import { defined } from "../../../job/defined.ts";
import type { JobView } from "../../../operations/job-view.ts";
import type { AnswerOf } from "../../../operations/registry.ts";
import type { Client } from "../../door/local-client.ts";
import type { CliContext } from "../cli-context.ts";
import { defineCommand } from "../command.ts";
import { addFilterOptions, toFilter, type FilterOptions } from "../options/filter-options.ts";
import { readWhole } from "../options/option-values.ts";
import { demandTerminal, showFullScreen } from "../show/full-screen.ts";
import { formatJobs, inOrder, totalsText } from "../show/job-table.ts";
import { isFinished } from "../show/job-text.ts";

interface PsOptions extends FilterOptions {
  readonly all?: true;
  readonly limit?: number;
  readonly cursor?: string;
  readonly quiet?: true;
  readonly watch?: true;
}

const recentMs = 3_600_000;
const defaultLimit = 100;

export const ps = defineCommand<PsOptions>({
  describe: (command) => {
    addFilterOptions(command.option("-a, --all", "also jobs that ended more than an hour ago"))
      .option("-n, --limit <count>", `maximum number of jobs to show (${defaultLimit})`, readWhole(1, 1_000))
      .option("-q, --quiet", "print ids alone")
      .option("-w, --watch", "keep the list on the screen and up to date")
      .option("--cursor <cursor>", "continue where the previous list ended");
  },
  run: async (cli, options) => {
    const { client, screen } = cli;
    if (options.watch === true) return watch(cli, options);
    const answer = await listJobs(client, options);
    if (options.json === true) screen.printJson(answer);
    else if (options.quiet === true) for (const { id } of answer.jobs) screen.print(id);
    else if (answer.jobs.length === 0) screen.note(noneText(options));
    else
      screen.print(
        `${formatJobs(answer.jobs, screen)}\n${screen.style.dim(await totals(client, options, answer.jobs))}`,
      );
    if (options.json !== true && answer.cursor !== undefined) screen.note(`More: add --cursor ${answer.cursor}`);
    return undefined;
  },
});

/** What runs, waits and is queued, and of the newest jobs those that ended in the last hour, or all. */
export async function listJobs(client: Client, options: PsOptions = {}): Promise<AnswerOf<"job_list">> {
  const { limit = defaultLimit, cursor } = options;
  const request = { ...toFilter(options), limit, explain: true };
  const isOneList = [options.filter, options.state, cursor].some((given) => given !== undefined);
  if (isOneList || (options.all === true && options.limit !== undefined)) {
    const answer = await client.call("job_list", { ...request, ...defined({ cursor }) });
    return { ...answer, jobs: inOrder(answer.jobs) };
  }
  // Each by itself: a long queue would leave no room for what runs.
  const states = [["running"], ["waiting"], ["queued"]] as const;
  const active = states.map((state) => client.call("job_list", { ...request, state: [...state] }));
  const [newest, ...pages] = await Promise.all([client.call("job_list", request), ...active]);
  const listed = [...pages.flatMap(({ jobs }) => jobs), ...newest.jobs.filter((job) => options.all ?? isRecent(job))];
  const jobs = inOrder([...new Map(listed.map((job) => [job.id, job])).values()]);
  return options.all === true ? { ...newest, jobs } : { jobs: jobs.slice(0, limit) };
}

function isRecent(job: JobView): boolean {
  return !isFinished(job) || Date.now() - Date.parse(job.finished_at ?? "") < recentMs;
}

/** Of all jobs, or of the batch; what else is selected is counted as it is shown. */
async function totals(client: Client, options: PsOptions, shown: readonly JobView[]): Promise<string> {
  const { batch: _batch, ...others } = toFilter(options);
  if (Object.keys(others).length > 0) return totalsText(shown.map(({ kind, state }) => ({ kind, state, count: 1 })));
  return totalsText((await client.call("job_count", defined({ batch: options.batch }))).counts);
}

function noneText(options: PsOptions): string {
  const { state = [], ...others } = options;
  const wanted = Object.values(toFilter(others)).length > 0;
  if (state.length > 0) return `No ${wanted ? "matching job" : "job"} is ${state.join(" or ").replaceAll("_", " ")}.`;
  if (wanted) return "No job matches.";
  return options.all === true ? "No jobs." : "No jobs are running, and none ended in the last hour (-a shows all).";
}

async function watch({ client, screen }: CliContext, options: PsOptions): Promise<void> {
  demandTerminal(screen, "Watching", "longhaul ps");
  let jobs: readonly JobView[] = [];
  let total = "";
  await showFullScreen({
    refresh: async () => {
      ({ jobs } = await listJobs(client, options));
      total = await totals(client, options, jobs);
    },
    render: (_columns, rows) => {
      const table = jobs.length === 0 ? noneText(options) : formatJobs(jobs, screen);
      return fit([...table.split("\n"), screen.style.dim(`${total}  (q ends this)`)], rows);
    },
    onKey: ({ name }, { end }) => {
      if (name === "q" || name === "escape") end();
    },
  });
}

/** The last line is the one with the totals. */
function fit(lines: readonly string[], rows: number): readonly string[] {
  return lines.length <= rows ? lines : [...lines.slice(0, rows - 1), lines.at(-1) ?? ""];
}
