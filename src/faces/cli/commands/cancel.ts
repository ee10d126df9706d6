import { defined } from "../../../job/defined.ts";
import type { JobView } from "../../../operations/job-view.ts";
import type { JobsAnswer } from "../answers.ts";
import { defineCommand } from "../command.ts";
import { addTargetOptions, toTarget, type TargetOptions } from "../filter-options.ts";
import { jobLabel, stateText } from "../job-text.ts";

interface CancelOptions extends TargetOptions {
  readonly reason?: string;
}

export const cancel = defineCommand<CancelOptions, [ids: string[]]>({
  describe: (command) => {
    addTargetOptions(command.option("--reason <text>", "why; kept with the job"));
  },
  run: async ({ client, screen }, options, ids) => {
    const { reason } = options;
    const answer = await client.call<JobsAnswer>("job_cancel", { ...toTarget(ids, options), ...defined({ reason }) });
    if (options.json === true) screen.printJson(answer);
    else if (answer.jobs.length === 0) screen.note("No such job is active.");
    else for (const job of answer.jobs) screen.print(`${jobLabel(job)}  ${describe(job)}`);
  },
});

function describe(job: JobView): string {
  if (job.cancel_requested === true) return "is being cancelled: its processes are told to end";
  return job.state === "cancelled" ? "is cancelled" : `is left as it is: ${stateText(job)}`;
}
