import { setTimeout as delay } from "node:timers/promises";
import { defined } from "../../../job/defined.ts";
import { LonghaulError } from "../../../job/error.ts";
import { messageOf } from "../../../job/failure.ts";
import type { AnswerOf } from "../../../operations/registry.ts";
import type { CliContext, ServedHere, ServeFlags } from "../cli-context.ts";
import { defineCommand } from "../command.ts";
import { exitCodes } from "../exit-code.ts";
import { readWhole } from "../options/option-values.ts";
import { askServer } from "../server/connect.ts";
import { ServerError } from "../server/server-error.ts";
import { startServer } from "../server/start-server.ts";
import { stopServer } from "../server/process-life.ts";
import { formatAgo } from "../show/duration.ts";

interface ServeOptions extends ServeFlags {
  readonly background?: true;
  readonly replace?: true;
}

export const serve = defineCommand<ServeOptions>({
  describe: (command) => {
    command
      .option("--host <address>", "the address for HTTP (127.0.0.1)")
      .option("--port <number>", "the port for HTTP; 0 takes any free one", readWhole(0, 65_535))
      .option("--allow-remote-shell", "let callers on other machines run commands")
      .option("--kinds <names>", "run only jobs of these kinds here, or none; ./my-kinds.js loads kinds of your own")
      .option("--concurrency <numbers>", "jobs of each kind at the same time: 8, or shell=8,page=2")
      .option("--labels <names>", "run jobs that are pinned to one of these (where machines share a store)")
      .option("--background", "log to the file in Longhaul's folder; end quietly if one is already running there")
      .option(
        "--replace",
        "stop a server that is already running there, and take over from it; running commands go on",
      );
  },
  run: (cli, options) => (options.background === true ? serveInBackground(cli, options) : serveHere(cli, options)),
});

async function serveHere(cli: CliContext, { json, ...options }: ServeOptions & { json?: true }): Promise<number> {
  // Lines of JSON are for programs; a person gets a few words and the place of the file.
  const isLoggedToFile = cli.screen.terminal.err.isTerminal;
  const served = await open(cli, options, isLoggedToFile).catch((error: unknown) => explain(error, cli));
  if (json === true) cli.screen.printJson({ url: served.url, socket: served.socket, home: cli.environment.paths.home });
  else tellPlace(cli, served);
  await nextStopSignal();
  // Whoever signals twice does not want to wait.
  void nextStopSignal().then(() => process.exit(exitCodes.interrupted));
  cli.screen.note("Stopping; running commands go on.");
  await served.stop();
  return process.exit(exitCodes.done);
}

const maxReplaced = 20;
const tryAgainMs = 200;

/** While one server is replaced, others may start one: what counts is who has the folder in the end. */
async function open(cli: CliContext, options: ServeOptions, isLoggedToFile: boolean): Promise<ServedHere> {
  const serveOnce = (): Promise<ServedHere> => cli.serve(toFlags(options), { isLoggedToFile });
  for (let replaced = 0; options.replace === true && replaced < maxReplaced; replaced++) {
    const running = await askServer(cli).catch(() => undefined);
    if (running !== undefined) await end(running);
    try {
      return await serveOnce();
    } catch (error) {
      if (!(error instanceof LonghaulError && error.code === "store_in_use")) throw error;
      await delay(tryAgainMs);
    }
  }
  return serveOnce();
}

async function explain(error: unknown, cli: CliContext): Promise<never> {
  const isInUse = error instanceof LonghaulError && error.code === "store_in_use";
  const running = isInUse ? await askServer(cli) : undefined;
  if (running === undefined) throw error;
  throw new LonghaulError(
    "store_in_use",
    `A server is already running on ${running.home} (process ${running.pid}): \`longhaul server status\` shows it, \`longhaul server stop\` ends it.`,
    { cause: error },
  );
}

async function serveInBackground(cli: CliContext, options: ServeOptions): Promise<number> {
  try {
    const served = await open(cli, options, true);
    await nextStopSignal();
    // Several fronts may want a restart at once: only the first signal counts.
    void nextStopSignal();
    await served.stop();
    return process.exit(exitCodes.done);
  } catch (error) {
    if (error instanceof LonghaulError && error.code === "store_in_use") return process.exit(exitCodes.done);
    // Stderr is the log file: whoever started this process reads there why it ended.
    const line = { at: new Date().toISOString(), level: "error", message: messageOf(error) };
    cli.screen.note(JSON.stringify(line));
    return process.exit(exitCodes.failed);
  }
}

function toFlags({ host, port, allowRemoteShell, kinds, concurrency, labels }: ServeFlags): ServeFlags {
  return defined({ host, port, allowRemoteShell, kinds, concurrency, labels });
}

export function nextStopSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const name of ["SIGINT", "SIGTERM"] as const) process.on(name, () => resolve());
  });
}

function tellPlace({ screen, environment, version }: CliContext, { url, socket }: ServedHere): void {
  const { style } = screen;
  const { home, token, log } = environment.paths;
  const facts = [
    ["folder", home],
    ["socket", socket],
    ["web", `${url}  (\`longhaul open\` logs you in)`],
    ["http", `${url}/v1`],
    ["mcp", `${url}/mcp`],
    ["docs", `${url}/docs`],
    ["token", token],
    ["log", screen.terminal.err.isTerminal ? log : "stderr"],
  ];
  screen.print(`${style.bold(`Longhaul ${version}`)} is running. Ctrl-C stops it; running commands go on.`);
  for (const [label = "", text = ""] of facts) screen.print(`  ${style.dim(label.padEnd(7))} ${text}`);
  screen.print(
    `\nIn another terminal:\n  longhaul run -- echo hello\n  longhaul ps\n  longhaul add claude-code    (longhaul add lists the MCP clients)\n  curl -H "Authorization: Bearer $(cat ${token})" ${url}/v1/jobs`,
  );
}

/** A program that runs its jobs itself is not ours to end. */
async function end({ pid, program, home = "" }: AnswerOf<"server_status">): Promise<void> {
  if (program === undefined) return stopServer(pid);
  throw new LonghaulError(
    "conflict",
    `The jobs in ${home} are run by the program "${program}" (process ${pid}), and by no Longhaul server: end it as it was started.`,
  );
}

export const status = defineCommand<object>({
  run: async (cli, options) => {
    const { screen, environment } = cli;
    const server = await askServer(cli);
    if (options.json === true) {
      screen.printJson({ running: server !== undefined, home: environment.paths.home, ...server });
    } else if (server === undefined) {
      screen.print(`No server is running on ${environment.paths.home}. Any command that needs one starts it.`);
    } else screen.print(describe(cli, server));
    return server === undefined ? exitCodes.noServer : exitCodes.done;
  },
});

function describe({ screen, environment }: CliContext, server: AnswerOf<"server_status">): string {
  const { style } = screen;
  const { paths } = environment;
  const jobs = Object.entries(server.jobs).map(([state, count]) => `${count} ${state}`);
  const facts = [
    ["program", server.program ?? ""],
    [
      "server",
      `version ${server.version}, process ${server.pid}, started ${formatAgo(Date.now() - Date.parse(server.started_at))}`,
    ],
    ["memory", `${(server.memory_bytes / 1_000_000).toFixed(0)} MB`],
    ["jobs", jobs.length === 0 ? "none" : jobs.join(", ")],
    ["paused", server.paused_kinds.join(", ")],
    ["folder", server.home],
    ["socket", paths.socket],
    ["web", server.url ?? ""],
    ["http", server.url === undefined ? "" : `${server.url}/v1`],
    ["token", server.program === undefined ? paths.token : ""],
    ["log", server.program === undefined ? paths.log : ""],
  ];
  const problems = (server.problems ?? []).map((problem) => `${style.yellow("problem")} ${problem}`);
  return facts
    .filter(([, text]) => text !== "")
    .map(([label = "", text = ""]) => `${style.dim(label.padEnd(7))} ${text}`)
    .concat(problems)
    .join("\n");
}

export const stop = defineCommand<object>({
  run: async (cli, options) => {
    const { screen } = cli;
    const server = await askServer(cli);
    if (server !== undefined) await end(server);
    if (options.json === true) screen.printJson({ stopped: server !== undefined, pid: server?.pid });
    else if (server === undefined) screen.print("No server is running.");
    else
      screen.print(
        `Stopped the server (process ${server.pid}). Running commands go on; the next server takes them over.`,
      );
  },
});

export const restart = defineCommand<object>({
  run: async (cli, options) => {
    const { screen } = cli;
    const before = await askServer(cli);
    if (before !== undefined) await end(before);
    await startServer(cli);
    const server = await askServer(cli);
    if (server === undefined) throw new ServerError("The server ended right after it started.");
    if (options.json === true) screen.printJson({ running: true, ...server });
    else screen.print(`The server is running: version ${server.version}, process ${server.pid}.`);
  },
});
