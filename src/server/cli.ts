import { readEnvironment } from "../config/environment.ts";
import { readTerminal } from "../config/terminal.ts";
import { defined } from "../job/defined.ts";
import { connect } from "../faces/cli/server/connect.ts";
import { exitCodes } from "../faces/cli/exit-code.ts";
import type { CliContext } from "../faces/cli/cli-context.ts";
import { runProgram } from "../faces/cli/program.ts";
import { createScreen } from "../faces/cli/show/screen.ts";
import { readVersion } from "./version.ts";

/** Runs the command line. The server's code is loaded only to serve, each command's only when called. */
export async function runCli(file: string, words: readonly string[]): Promise<number> {
  process.stdout.on("error", endWithReader);
  process.stderr.on("error", endWithReader);
  const parts = {
    version: readVersion(),
    environment: readEnvironment(),
    screen: createScreen(readTerminal()),
    program: { executable: process.execPath, file },
  };
  const serveFront: CliContext["serveFront"] = async (set) => (await import("./front.ts")).serveFront(file, set);
  return runProgram(
    {
      ...parts,
      client: connect(parts),
      serve,
      serveMcp,
      serveFront,
      inspectStore,
      inspectDatabase,
      migrate,
      findBrowser,
    },
    words,
  );
}

/** Whoever read our output is gone (`longhaul logs x | head`): there is nobody left to write for. */
const endWithReader = (): void => process.exit(exitCodes.outputClosed);

const serve: CliContext["serve"] = async (flags, { isLoggedToFile, role }) => {
  const [{ loadConfig }, server] = await Promise.all([import("../config/config.ts"), import("./serve.ts")]);
  return server.serve(loadConfig(flags), { isBackground: isLoggedToFile, ...defined({ role }) });
};

const inspectStore: CliContext["inspectStore"] = async (file, options) => {
  const { inspectStoreFile } = await import("../store/sqlite/open.ts");
  await inspectStoreFile(file, options);
};

const inspectDatabase: CliContext["inspectDatabase"] = async () => {
  const [{ loadConfig }, { inspectPostgres }] = await Promise.all([
    import("../config/config.ts"),
    import("./open-store.ts"),
  ]);
  const { store } = loadConfig();
  return store && inspectPostgres(store);
};

const migrate: CliContext["migrate"] = async (onProgress) => {
  const [{ loadConfig }, server] = await Promise.all([import("../config/config.ts"), import("./migrate.ts")]);
  return server.migrate(loadConfig(), onProgress);
};

const findBrowser: CliContext["findBrowser"] = async (search) =>
  (await import("../net/browser/find-browser.ts")).findBrowser(search);

const serveMcp: CliContext["serveMcp"] = async (set) => {
  const [{ loadConfig }, server] = await Promise.all([import("../config/config.ts"), import("./mcp-in-process.ts")]);
  await server.serveMcpInProcess(loadConfig(), set);
};
