import { defineCommand } from "../command.ts";

export const endpointPurge = defineCommand<object, [endpoint: string]>({
  describe: (command) => {
    command.argument("<endpoint>", "its name");
  },
  run: async ({ client, screen }, options, endpoint) => {
    const answer = await client.call<{ removed: number }>("endpoint_purge", { endpoint });
    if (options.json === true) screen.printJson(answer);
    else screen.print(`Removed ${answer.removed} queued ${answer.removed === 1 ? "job" : "jobs"}.`);
  },
});
