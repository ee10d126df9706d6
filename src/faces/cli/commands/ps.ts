import { Option } from "commander";
import { defined } from "../../../job/defined.ts";
import type { JobView } from "../../../operations/job-view.ts";
import { createClient, NotRunningError, type Client } from "../../local/client.ts";
import type { JobsAnswer } from "../answers.ts";
import { defineCommand } from "../command.ts";
import { addFilterOptions, toFilter, type FilterOptions } from "../filter-options.ts";
import type { Front } from "../front.ts";
import { formatJobs } from "../job-table.ts";
import { isFinished } from "../job-text.ts";
import { readWhole } from "../option-values.ts";

interface PsOptions extends FilterOptions {
  readonly all?: true;
  readonly limit?: number;
  readonly cursor?: string;
  readonly start: boolean;
}

const recentMs = 3_600_000;
const usualLimit = 100;

export const ps = defineCommand<PsOptions>({
  describe: (command) => {
    addFilterOptions(command.option("-a, --all", "also jobs that ended more than an hour ago"))
      .option("--limit <count>", `most jobs to show (${usualLimit})`, readWhole(1, 1_000))
      .option("--cursor <cursor>", "go on where the list before ended")
      .addOption(new Option("--no-start", "start no server; there are no jobs without one").hideHelp());
  },
  run: async (front, options) => {
    const { screen } = front;
    const answer = options.start ? await list(front.client, options) : await listIfRunning(front, options);
    if (options.json === true) {
      screen.printJson(answer);
      return;
    }
    if (answer.jobs.length > 0) screen.print(formatJobs(answer.jobs, screen));
    else
      screen.note(options.all === true ? "No jobs." : "No jobs run, and none ended in the last hour (-a shows all).");
    if (answer.cursor !== undefined) screen.note(`More: add --cursor ${answer.cursor}`);
  },
});

/** For completions, which must not start anything. */
async function listIfRunning({ environment }: Front, options: PsOptions): Promise<JobsAnswer> {
  try {
    return await list(createClient(environment.paths.socket), options);
  } catch (error) {
    if (error instanceof NotRunningError) return { jobs: [] };
    throw error;
  }
}

/** Without options: what is active, and of the newest jobs those that ended in the last hour. */
async function list(client: Client, options: PsOptions): Promise<JobsAnswer> {
  const { limit = usualLimit, cursor } = options;
  const filter = toFilter(options);
  if (options.all === true || options.state !== undefined || cursor !== undefined) {
    return client.call<JobsAnswer>("job_list", { ...filter, limit, ...defined({ cursor }) });
  }
  const [active, newest] = await Promise.all([
    client.call<JobsAnswer>("job_list", { ...filter, limit, state: ["queued", "running", "waiting"] }),
    client.call<JobsAnswer>("job_list", { ...filter, limit }),
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
