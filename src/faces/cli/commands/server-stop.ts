import { askServer } from "../ask-server.ts";
import { defineCommand } from "../command.ts";
import { stopServer } from "../stop-server.ts";

export const serverStop = defineCommand<object>({
  run: async (front, options) => {
    const { screen } = front;
    const status = await askServer(front);
    if (status !== undefined) await stopServer(status.pid);
    if (options.json === true)
      screen.printJson({ stopped: status !== undefined, ...(status === undefined ? {} : { pid: status.pid }) });
    else if (status === undefined) screen.print("No server is running.");
    else
      screen.print(
        `Stopped the server (process ${status.pid}). Running commands go on; the next server takes them over.`,
      );
  },
});
