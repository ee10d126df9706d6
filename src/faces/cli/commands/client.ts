import { isAbsolute } from "node:path";
import { LonghaulError } from "../../../job/error.ts";
import type { CliContext } from "../cli-context.ts";
import { applyChange } from "../clients/apply-change.ts";
import { clientNames } from "../clients/client-table.ts";
import { loadEditor } from "../clients/config-editor.ts";
import { readBackup, readConfigFile } from "../clients/config-file.ts";
import { makeLaunch } from "../clients/launch.ts";
import { formatClients, listClients } from "../clients/list-clients.ts";
import type { Launch, McpClient } from "../clients/mcp-client.ts";
import { planAdd, planRemove } from "../clients/plan-change.ts";
import { describeTarget, findFile, findPlaces, readTarget, type TargetOptions } from "../clients/target.ts";
import { defineCommand } from "../command.ts";
import { profileOption } from "../options/profile-option.ts";

interface AddOptions extends TargetOptions {
  readonly profile?: string;
  readonly force?: true;
  readonly approve?: true;
}

export const add = defineCommand<AddOptions, [word: string | undefined]>({
  describe: (command) => {
    describeTarget(command)
      .addOption(profileOption())
      .option("--force", "replace a server of that name that is not Longhaul's")
      .option("--approve", "let the client call every tool without asking you (codex, gemini)");
  },
  run: async (cli, options, word) => {
    const { client, folder } = readTarget(options, word);
    if (client === undefined) {
      const clients = await listClients(cli, folder, options.name);
      if (options.json === true) cli.screen.printJson({ clients });
      else cli.screen.print(`${formatClients(cli, clients)}\n\n\`longhaul add CLIENT\` adds Longhaul to one of them.`);
      return;
    }
    if (options.approve === true && client.approval === undefined) {
      throw new LonghaulError(
        "invalid_input",
        `${client.title} has no such setting for a server: leave out --approve.`,
      );
    }
    const file = readConfigFile(findFile(client, folder, findPlaces(cli)));
    const launch = makeLaunch(cli, { profile: options.profile, project: folder });
    const plan = planAdd(await loadEditor(client, options.name), file, readBackup(file), {
      client,
      name: options.name,
      launch,
      isForced: options.force === true,
      isApproved: options.approve === true,
    });
    await applyChange(cli, { client, file, plan, options, project: folder });
    if (options.json !== true) noteCommand(cli, client, launch, folder);
  },
});

/** Says where the command that was written may not be found. */
function noteCommand({ screen }: CliContext, client: McpClient, { command }: Launch, folder: string | undefined): void {
  if (folder !== undefined && isAbsolute(command)) {
    screen.note(
      "The command in it is a path on this machine, because Longhaul is neither installed in the project nor on the PATH; others who use the file need the same path.",
    );
  } else if (folder === undefined && command === "npx") {
    screen.note(
      `It runs through npx, which ${client.title} must find on its PATH; after \`npm install -g longhaul\`, \`longhaul add ${client.name}\` writes a command that does not need it.`,
    );
  }
}

export const remove = defineCommand<TargetOptions, [word: string | undefined]>({
  describe: (command) => {
    describeTarget(command);
  },
  run: async (cli, options, word) => {
    const { client, folder } = readTarget(options, word);
    if (client === undefined) {
      throw new LonghaulError("invalid_input", `Say which client to remove Longhaul from: ${clientNames.join(", ")}.`);
    }
    const file = readConfigFile(findFile(client, folder, findPlaces(cli)));
    const plan = planRemove(await loadEditor(client, options.name), file, readBackup(file), options.name);
    await applyChange(cli, { client, file, plan, options, project: folder });
  },
});
