import { readProfileSet } from "../../../config/profiles.ts";
import { defineCommand } from "../command.ts";
import { exitCodes } from "../exit-code.ts";
import { profileOption } from "../options/profile-option.ts";

interface McpOptions {
  readonly profile: string;
  readonly inProcess?: true;
}

export const mcp = defineCommand<McpOptions>({
  describe: (command) => {
    command
      .addOption(profileOption().default("core"))
      .option("--in-process", "without a server in the background, for places that forbid one");
  },
  run: async (cli, { profile, inProcess }) => {
    const set = readProfileSet(profile);
    if (inProcess !== true) return cli.serveFront(set);
    await cli.serveMcp(set);
    return exitCodes.done;
  },
});
