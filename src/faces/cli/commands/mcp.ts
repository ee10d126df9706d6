import { Option } from "commander";
import { profiles, type Profile } from "../../../config/profiles.ts";
import { defineCommand } from "../command.ts";
import { exitCodes } from "../exit-code.ts";

interface McpOptions {
  readonly profile: Profile;
  readonly inProcess?: true;
}

export const mcp = defineCommand<McpOptions>({
  describe: (command) => {
    command
      .addOption(new Option("--profile <name>", "which tools").choices(profiles).default("core"))
      .option("--in-process", "without a server in the background, for places that forbid one");
  },
  run: async (cli, { profile, inProcess }) => {
    if (inProcess === true) {
      await cli.serveMcp(profile);
      return exitCodes.done;
    }
    return cli.serveFront(profile);
  },
});
