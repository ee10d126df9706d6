import { defineCommand } from "../command.ts";

export const prune = defineCommand<object>({
  run: async ({ client, screen }, options) => {
    const answer = await client.call<{ removed: number }>("jobs_prune");
    if (options.json === true) screen.printJson(answer);
    else screen.print(`Removed ${answer.removed} ${answer.removed === 1 ? "job" : "jobs"}.`);
  },
});
