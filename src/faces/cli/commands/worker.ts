import { defined } from "../../../job/defined.ts";
import type { ServeFlags } from "../cli-context.ts";
import { defineCommand } from "../command.ts";
import { exitCodes } from "../exit-code.ts";
import { readWhole } from "../options/option-values.ts";
import { nextStopSignal } from "./server.ts";

export const worker = defineCommand<ServeFlags>({
  describe: (command) => {
    command
      .option("--kinds <names>", "run only jobs of these kinds")
      .option("--concurrency <numbers>", "jobs of each kind at the same time: 8, or shell=8,page=2")
      .option("--labels <names>", "run jobs that are pinned to one of these, besides those that are not pinned")
      .option("--host <address>", "the address at which it tells that it is alive (127.0.0.1)")
      .option("--port <number>", "the port for that; 0 takes any free one", readWhole(0, 65_535));
  },
  run: async (cli, { json, ...options }) => {
    const isLoggedToFile = cli.screen.terminal.err.isTerminal;
    const { host, port, kinds, concurrency, labels } = options;
    const flags = defined({ host, port, kinds, concurrency, labels });
    const served = await cli.serve(flags, { isLoggedToFile, role: "worker" });
    const { home } = cli.environment.paths;
    if (json === true) cli.screen.printJson({ url: served.url, socket: served.socket, home });
    else cli.screen.print(`A worker is running in ${home}. Ctrl-C stops it; running commands go on.`);
    await nextStopSignal();
    // Whoever signals twice does not want to wait.
    void nextStopSignal().then(() => process.exit(exitCodes.interrupted));
    cli.screen.note("Stopping; running commands go on.");
    await served.stop();
    return process.exit(exitCodes.done);
  },
});
