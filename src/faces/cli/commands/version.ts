import { defineCommand } from "../command.ts";

export const version = defineCommand<object>({
  run: async (cli, options) => {
    if (options.json === true) cli.screen.printJson({ version: cli.version });
    else cli.screen.print(cli.version);
  },
});
