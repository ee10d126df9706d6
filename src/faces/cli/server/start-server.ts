import { spawn, type ChildProcess } from "node:child_process";
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { homedir } from "node:os";
import { dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { withoutClientSettings } from "../../../config/environment.ts";
import type { Paths } from "../../../config/paths.ts";
import { checkFolder } from "../../../config/private-files.ts";
import { messageOf } from "../../../job/failure.ts";
import type { CliContext } from "../cli-context.ts";
import { tryParseJson } from "../../../text/parse-json.ts";
import { isAlive } from "./process-life.ts";
import { readProgram } from "./read-program.ts";
import { ServerError } from "./server-error.ts";

type Starter = Pick<CliContext, "environment" | "program">;

const patienceMs = 15_000;
const pollMs = 20;
/** A server that found the folder in use has ended; the one that has it may be about to end too. */
const startAgainAfterMs = 500;

/**
 * Starts a server in the background and waits until one answers, whoever started it: of two that start at once, one
 * gets the folder and the other ends quietly.
 */
export async function startServer(starter: Starter): Promise<void> {
  const { paths } = starter.environment;
  const giveUpAt = performance.now() + patienceMs;
  let start: Start | undefined;
  checkFolder(paths.home);
  checkFolder(dirname(paths.socket));
  if (!(await isListening(paths.socket))) refuseForeignHome(paths);
  try {
    while (!(await isListening(paths.socket))) {
      if (performance.now() > giveUpAt) {
        throw new ServerError(`The server did not answer within ${patienceMs / 1_000} s. Its log: ${paths.log}`);
      }
      start ??= claimStart(paths) ? spawnServer(starter) : undefined;
      await delay(pollMs);
      const code = start?.exitCode();
      if (start === undefined || code === undefined) continue;
      if (code > 0) throw new ServerError(`The server could not be started: ${lastError(paths, start.logSize)}`);
      if (code === 0) await delay(startAgainAfterMs);
      start = undefined;
      rmSync(paths.starting, { force: true });
    }
  } finally {
    start?.release();
    if (start !== undefined) rmSync(paths.starting, { force: true });
  }
}

/** A server in the home of a program would keep the program out, and could not run its jobs. */
function refuseForeignHome({ home, program: file }: Paths): void {
  const program = readProgram(file);
  if (program === undefined) return;
  throw new ServerError(
    `The jobs in ${home} are those of the program "${program}", which is not running: start it, and they go on.`,
  );
}

/**
 * False if somebody else is starting a server now: loading one only to find out costs everybody time. Only a hint: whoever gets the
 * database is the server.
 */
function claimStart(paths: Paths): boolean {
  usable(paths, () => makeFolder(paths.home));
  try {
    writeFileSync(paths.starting, String(process.pid), { flag: "wx", mode: 0o600 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") return true;
    // Claimed with the next look, as by anybody else.
    if (isAbandoned(paths.starting)) rmSync(paths.starting, { force: true });
    return false;
  }
}

function isAbandoned(claim: string): boolean {
  try {
    if (Math.abs(Date.now() - statSync(claim).mtimeMs) > patienceMs) return true;
    const pid = Number(readFileSync(claim, "utf8"));
    return pid > 0 && !isAlive(pid);
  } catch {
    return true;
  }
}

/** Whether somebody accepts connections on the socket. */
export function isListening(socketPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(socketPath);
    const answer = (isOpen: boolean): void => {
      socket.destroy();
      resolve(isOpen);
    };
    socket.once("connect", () => answer(true));
    socket.once("error", () => answer(false));
  });
}

interface Start {
  /** Undefined while it runs; -1 if somebody killed it, which says nothing of the next one. */
  readonly exitCode: () => number | undefined;
  readonly logSize: number;
  /** This process need not wait for it any more. */
  readonly release: () => void;
}

function spawnServer({ environment, program }: Starter): Start {
  const { paths } = environment;
  const log = openLog(paths);
  let code: number | undefined;
  try {
    const child: ChildProcess = spawn(program.executable, [program.file, "serve", "--background"], {
      cwd: existsSync(homedir()) ? homedir() : "/",
      env: withoutClientSettings(environment.serverVariables),
      detached: true,
      stdio: ["ignore", "ignore", log.descriptor],
    });
    child.once("exit", (exitCode) => {
      code = exitCode ?? -1;
    });
    child.once("error", () => {
      code = 1;
    });
    return { exitCode: () => code, logSize: log.size, release: () => child.unref() };
  } finally {
    closeSync(log.descriptor);
  }
}

/** What the server says before it can write its log itself goes there too. */
function openLog(paths: Paths): { descriptor: number; size: number } {
  return usable(paths, () => {
    const size = statSync(paths.log, { throwIfNoEntry: false })?.size ?? 0;
    return { descriptor: openSync(paths.log, "a", 0o600), size };
  });
}

function usable<Result>(paths: Paths, act: () => Result): Result {
  try {
    return act();
  } catch (error) {
    const why = messageOf(error);
    throw new ServerError(
      `The server could not be started: ${paths.home} cannot be used (${why}). Set LONGHAUL_HOME to a folder that you can write to.`,
      { cause: error },
    );
  }
}

/** Not `recursive`: with that, Node 20 tries for ever where no folder can be made, such as in /proc. */
export function makeFolder(path: string): void {
  if (existsSync(path)) return;
  if (dirname(path) !== path) makeFolder(dirname(path));
  mkdirSync(path, { mode: 0o700 });
}

/** The last error that was logged since this start, else the last line. */
function lastError(paths: Paths, logSize: number): string {
  const text = readFileSync(paths.log).subarray(logSize).toString();
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const errors = lines.flatMap((line) => parseError(line) ?? []);
  const thrown = lines.findLast((line) => /Error\b/.test(line));
  return errors.at(-1) ?? thrown ?? lines.at(-1) ?? `it ended without a word. Its log: ${paths.log}`;
}

function parseError(line: string): string | undefined {
  const entry = tryParseJson(line) as { level?: string; message?: string } | null | undefined;
  return entry?.level === "error" ? entry.message : undefined;
}
