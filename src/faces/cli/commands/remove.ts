import { LonghaulError } from "../../../job/error.ts";
import { carryOut } from "../clients/carry-out.ts";
import { clientNames } from "../clients/client-table.ts";
import { loadEditor } from "../clients/config-editor.ts";
import { readBackup, readConfigFile } from "../clients/config-file.ts";
import { planRemove } from "../clients/plan-change.ts";
import { describeTarget, findFile, findPlaces, readTarget, type TargetOptions } from "../clients/target.ts";
import { defineCommand } from "../command.ts";

export const remove = defineCommand<TargetOptions, [word: string | undefined]>({
  describe: (command) => {
    describeTarget(command);
  },
  run: async (front, options, word) => {
    const { client, folder } = readTarget(options, word);
    if (client === undefined) {
      throw new LonghaulError("invalid_input", `Say which client to remove Longhaul from: ${clientNames.join(", ")}.`);
    }
    const file = readConfigFile(findFile(client, folder, findPlaces(front)));
    const plan = planRemove(await loadEditor(client, options.name), file, readBackup(file), options.name);
    await carryOut(front, { client, file, plan, options, isShared: folder !== undefined });
  },
});
