import { askServer } from "../ask-server.ts";
import { defineCommand } from "../command.ts";
import { ServerError } from "../server-error.ts";
import { startServer } from "../start-server.ts";
import { stopServer } from "../stop-server.ts";

export const serverRestart = defineCommand<object>({
  run: async (front, options) => {
    const { screen } = front;
    const before = await askServer(front);
    if (before !== undefined) await stopServer(before.pid);
    await startServer(front);
    const status = await askServer(front);
    if (status === undefined) throw new ServerError("The server ended right after its start.");
    if (options.json === true) screen.printJson({ running: true, ...status });
    else screen.print(`The server runs: version ${status.version}, process ${status.pid}.`);
  },
});
