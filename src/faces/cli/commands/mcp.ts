import { Option } from "commander";
import { profiles, type Profile } from "../../../config/profiles.ts";
import { runMcpFront } from "../../mcp/front.ts";
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
  run: async (front, { profile, inProcess }) => {
    if (inProcess === true) {
      await front.serveMcp(profile);
      return exitCodes.done;
    }
    return runMcpFront({
      socket: front.environment.paths.mcpSockets[profile],
      startServer: async () => {
        await front.client.call("server_status");
      },
    });
  },
});
