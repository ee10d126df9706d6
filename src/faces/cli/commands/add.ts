import { Option } from "commander";
import { profiles, type Profile } from "../../../config/profiles.ts";
import { carryOut } from "../clients/carry-out.ts";
import { loadEditor } from "../clients/config-editor.ts";
import { readBackup, readConfigFile } from "../clients/config-file.ts";
import { makeLaunch } from "../clients/launch.ts";
import { formatClients, listClients } from "../clients/list-clients.ts";
import { planAdd } from "../clients/plan-change.ts";
import { describeTarget, findFile, findPlaces, readTarget, type TargetOptions } from "../clients/target.ts";
import { defineCommand } from "../command.ts";

interface AddOptions extends TargetOptions {
  readonly profile?: Profile;
  readonly force?: true;
}

export const add = defineCommand<AddOptions, [word: string | undefined]>({
  describe: (command) => {
    describeTarget(command)
      .addOption(new Option("--profile <name>", "which tools").choices(profiles))
      .option("--force", "replace a server of that name that is not Longhaul's");
  },
  run: async (front, options, word) => {
    const { client, folder } = readTarget(options, word);
    if (client === undefined) {
      const clients = await listClients(front, folder, options.name);
      if (options.json === true) front.screen.printJson({ clients });
      else
        front.screen.print(`${formatClients(front, clients)}\n\n\`longhaul add CLIENT\` adds Longhaul to one of them.`);
      return;
    }
    const file = readConfigFile(findFile(client, folder, findPlaces(front)));
    const launch = makeLaunch(front, { profile: options.profile, isShared: folder !== undefined });
    const plan = planAdd(await loadEditor(client, options.name), file, readBackup(file), {
      client,
      name: options.name,
      launch,
      isForced: options.force === true,
    });
    await carryOut(front, { client, file, plan, options, isShared: folder !== undefined });
    if (launch.command === "npx" && folder === undefined && options.json !== true) {
      front.screen.note(
        `It runs through npx, which ${client.title} must find on its path; after \`npm install -g longhaul\`, \`longhaul add ${client.name}\` writes a command that needs none.`,
      );
    }
  },
});
