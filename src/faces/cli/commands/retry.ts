import type { JobsAnswer } from "../answers.ts";
import { defineCommand } from "../command.ts";
import { addTargetOptions, toTarget, type TargetOptions } from "../filter-options.ts";
import { jobLabel, stateText } from "../job-text.ts";

export const retry = defineCommand<TargetOptions, [ids: string[]]>({
  describe: (command) => {
    addTargetOptions(command);
  },
  run: async ({ client, screen }, options, ids) => {
    const answer = await client.call<JobsAnswer>("job_retry", toTarget(ids, options));
    if (options.json === true) screen.printJson(answer);
    else if (answer.jobs.length === 0) screen.note("No such job has failed, timed out or been cancelled.");
    else for (const job of answer.jobs) screen.print(`${jobLabel(job)}  ${stateText(job)}, attempt ${job.attempt}`);
  },
});
