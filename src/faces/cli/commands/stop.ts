import { LonghaulError } from "../../../job/error.ts";
import { defineCommand } from "../command.ts";
import { toFilter, type TargetOptions } from "../options/filter-options.ts";
import { cancel } from "./job.ts";

export const stop = defineCommand<TargetOptions, [ids: string[]]>({
  describe: (command) => cancel.describe(command),
  run: (cli, options, ids) => {
    if (ids.length === 0 && Object.keys(toFilter(options)).length === 0) {
      throw new LonghaulError(
        "invalid_input",
        "Say which job is to end (longhaul stop ID); the server is stopped with: longhaul server stop",
      );
    }
    return cancel.run(cli, options, [ids]);
  },
});
