import { defineCommand } from "../command.ts";
import { addTargetOptions, toTarget, type TargetOptions } from "../options/filter-options.ts";
import { showChanged } from "../show/changed-jobs.ts";

export const rm = defineCommand<TargetOptions & { force?: true }, [ids: string[]]>({
  describe: (command) => {
    addTargetOptions(command.option("-f, --force", "cancel those that have not ended first"));
  },
  run: async ({ client, screen }, options, ids) => {
    const force = options.force === true;
    const removed = await client.call("job_delete", { ...toTarget(ids, options), force });
    const none = "No matching job has ended; -f removes others too.";
    return showChanged(removed, { none, describe: () => "removed" }, screen, options.json);
  },
});
