import { defineCommand } from "../command.ts";
import { addTargetOptions, toTarget, type TargetOptions } from "../options/filter-options.ts";
import { jobLabel } from "../show/job-text.ts";

export const rm = defineCommand<TargetOptions & { force?: true }, [ids: string[]]>({
  describe: (command) => {
    addTargetOptions(command.option("-f, --force", "cancel those that have not ended first"));
  },
  run: async ({ client, screen }, options, ids) => {
    const force = options.force === true;
    const removed = await client.call("job_delete", { ...toTarget(ids, options), force });
    if (options.json === true) screen.printJson(removed);
    else if (removed.count === 0) screen.note("No matching job has ended; -f removes others too.");
    else for (const job of removed.jobs) screen.print(`${jobLabel(job)}  removed`);
    if (options.json !== true && removed.count > removed.jobs.length) {
      screen.note(`… and ${removed.count - removed.jobs.length} more.`);
    }
  },
});
