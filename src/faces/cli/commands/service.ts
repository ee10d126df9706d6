import { existsSync } from "node:fs";
import { homedir, userInfo } from "node:os";
import { LonghaulError } from "../../../job/error.ts";
import { NotRunningError } from "../../door/local-client.ts";
import type { CliContext } from "../cli-context.ts";
import { findVariables, isTemporary, lastingPath } from "../clients/launch.ts";
import { defineCommand } from "../command.ts";
import { exitCodes } from "../exit-code.ts";
import { askServer } from "../server/connect.ts";
import { installService, removeService } from "../service/install-service.ts";
import { createLaunchdManager } from "../service/launchd.ts";
import type { ServiceManager, ServicePlaces, ServiceProgram, ServiceState } from "../service/service.ts";
import { createSystemdManager } from "../service/systemd.ts";

export const install = defineCommand<{ readonly print?: true }>({
  describe: (command) => {
    command.option("--print", "print the file, write nothing");
  },
  run: async (cli, options) => {
    const { screen } = cli;
    const manager = findManager(cli);
    const { file, title } = manager;
    const text = manager.describe(findProgram(cli));
    if (options.print === true) {
      if (options.json === true) screen.printJson({ file, text });
      else screen.printData(text.trimEnd());
      return;
    }
    const outcome = await installService(manager, text);
    if (options.json === true) screen.printJson({ outcome, file });
    else if (outcome === "unchanged") screen.print("The service is installed and running already.");
    else if (outcome === "started") {
      screen.print(`The service is installed (${file}) and running. ${await manager.startNote()}`);
    } else {
      screen.print(`The service is installed (${file}), but ${title} does not answer here. Start it with:`);
      screen.print(`  ${manager.startByHand}`);
    }
  },
});

export const remove = defineCommand<object>({
  run: async (cli, { json }) => {
    const manager = findManager(cli);
    const wasThere = await removeService(manager);
    if (json === true) cli.screen.printJson({ removed: wasThere, file: manager.file });
    else if (!wasThere) cli.screen.print("No service is installed.");
    else
      cli.screen.print(
        "The service is removed. Running commands go on; any command that needs a server starts one in the background.",
      );
  },
});

export const status = defineCommand<object>({
  run: async (cli, { json }) => {
    const manager = findManager(cli);
    const isInstalled = existsSync(manager.file);
    const state = isInstalled ? await manager.state() : { isEnabled: false, isRunning: false };
    const { isEnabled, isRunning } = state;
    const pid = await findServer(cli);
    if (json === true) {
      const facts = { installed: isInstalled, enabled: isEnabled, running: isRunning, file: manager.file };
      cli.screen.printJson({ ...facts, server_pid: pid });
    } else {
      cli.screen.print(isInstalled ? describeState(manager, state) : notInstalled);
      if (isRunning !== true && pid !== undefined) {
        cli.screen.print(`A server that something else has started is running (process ${pid}).`);
      }
    }
    return isRunning === true ? exitCodes.done : exitCodes.noServer;
  },
});

const notInstalled = "The service is not installed: `longhaul service install` installs it.";

function describeState({ file, title, startByHand }: ServiceManager, { isEnabled, isRunning }: ServiceState): string {
  const installed = `The service is installed (${file})`;
  if (isEnabled === undefined) {
    return `${installed}, but ${title} does not answer here, so whether it is enabled and running cannot be told.`;
  }
  const start = isEnabled ? "and enabled" : "but not enabled, so it does not start by itself";
  if (isRunning === true) return `${installed} ${start}, and running.`;
  return `${installed} ${start}, and not running. Start it with \`${startByHand}\`.`;
}

/** Undefined if none runs, or none that says so. */
async function findServer(cli: CliContext): Promise<number | undefined> {
  try {
    return (await askServer(cli))?.pid;
  } catch (error) {
    if (error instanceof LonghaulError || error instanceof NotRunningError) return undefined;
    throw error;
  }
}

function findManager({ environment }: CliContext): ServiceManager {
  const { uid, username: userName } = userInfo();
  const configHome = environment.variable("XDG_CONFIG_HOME") || undefined;
  const places: ServicePlaces = {
    home: homedir(),
    configHome,
    uid,
    userName,
    searchPath: environment.variable("PATH") ?? "",
  };
  return process.platform === "darwin" ? createLaunchdManager(places) : createSystemdManager(places);
}

/** With the PATH of whoever installs it: the system's own leads to few programs, and agents, endpoints and sandboxes are looked for on it. */
function findProgram(cli: CliContext): ServiceProgram {
  const { program, environment } = cli;
  if (isTemporary(program.file)) {
    throw new LonghaulError(
      "invalid_input",
      `A service needs a Longhaul that stays, and this one runs from a cache that may be emptied (${program.file}): \`npm install -g longhaul\`, then \`longhaul service install\`.`,
    );
  }
  const PATH = environment.variable("PATH") ?? "";
  return {
    argv: [lastingPath(program.executable), program.file, "serve", "--background", "--replace"],
    env: { ...(PATH === "" ? {} : { PATH }), ...findVariables(cli) },
  };
}
