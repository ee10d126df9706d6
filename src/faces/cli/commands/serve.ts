import { defined } from "../../../job/defined.ts";
import { LonghaulError } from "../../../job/error.ts";
import { messageOf } from "../../../job/failure.ts";
import { askServer } from "../ask-server.ts";
import { defineCommand } from "../command.ts";
import { exitCodes } from "../exit-code.ts";
import type { Front, ServedHere, ServeFlags } from "../front.ts";
import { readWhole } from "../option-values.ts";

interface ServeOptions extends ServeFlags {
  readonly background?: true;
}

export const serve = defineCommand<ServeOptions>({
  describe: (command) => {
    command
      .option("--host <address>", "the address for HTTP (127.0.0.1)")
      .option("--port <number>", "the port for HTTP; 0 takes any free one", readWhole(0, 65_535))
      .option("--allow-remote-shell", "let callers on other machines run commands")
      .option("--background", "log to the file in Longhaul's folder; end quietly if a server runs there");
  },
  run: (front, options) =>
    options.background === true ? serveInBackground(front, options) : serveHere(front, options),
});

async function serveHere(front: Front, { json, ...options }: ServeOptions & { json?: true }): Promise<number> {
  // Lines of JSON are for programs; a person gets a few words and the place of the file.
  const isLoggedToFile = front.screen.terminal.err.isTerminal;
  const served = await front
    .serve(toFlags(options), { isLoggedToFile })
    .catch((error: unknown) => explain(error, front));
  if (json === true)
    front.screen.printJson({ url: served.url, socket: served.socket, home: front.environment.paths.home });
  else tellPlace(front, served);
  await nextStopSignal();
  // Whoever signals twice does not want to wait.
  void nextStopSignal().then(() => process.exit(exitCodes.interrupted));
  front.screen.note("Stopping; running commands go on.");
  await served.stop();
  return process.exit(exitCodes.done);
}

async function explain(error: unknown, front: Front): Promise<never> {
  const isInUse = error instanceof LonghaulError && error.code === "store_in_use";
  const running = isInUse ? await askServer(front) : undefined;
  if (running === undefined) throw error;
  throw new LonghaulError(
    "store_in_use",
    `A server runs on ${running.home} already (process ${running.pid}): \`longhaul server status\` shows it, \`longhaul server stop\` ends it.`,
    { cause: error },
  );
}

async function serveInBackground(front: Front, options: ServeOptions): Promise<number> {
  try {
    const served = await front.serve(toFlags(options), { isLoggedToFile: true });
    await nextStopSignal();
    // Several fronts may want a restart at once: only the first signal counts.
    void nextStopSignal();
    await served.stop();
    return process.exit(exitCodes.done);
  } catch (error) {
    if (error instanceof LonghaulError && error.code === "store_in_use") return process.exit(exitCodes.done);
    // Stderr is the log file: whoever started this process reads there why it ended.
    const line = { at: new Date().toISOString(), level: "error", message: messageOf(error) };
    front.screen.note(JSON.stringify(line));
    return process.exit(exitCodes.failed);
  }
}

function toFlags({ host, port, allowRemoteShell }: ServeFlags): ServeFlags {
  return defined({ host, port, allowRemoteShell });
}

function nextStopSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const name of ["SIGINT", "SIGTERM"] as const) process.on(name, () => resolve());
  });
}

function tellPlace({ screen, environment, version }: Front, { url, socket }: ServedHere): void {
  const { style } = screen;
  const { home, token, log } = environment.paths;
  const facts = [
    ["folder", home],
    ["socket", socket],
    ["http", url],
    ["token", token],
    ["log", screen.terminal.err.isTerminal ? log : "stderr"],
  ];
  screen.print(`${style.bold(`Longhaul ${version}`)} is running. Ctrl-C stops it; running commands go on.`);
  for (const [label = "", text = ""] of facts) screen.print(`  ${style.dim(label.padEnd(7))} ${text}`);
  screen.print(
    `\nIn another terminal:\n  longhaul run -- echo hello\n  longhaul ps\n  curl -X POST -H "Authorization: Bearer $(cat ${token})" ${url}/call/server_status`,
  );
}
