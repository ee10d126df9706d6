import { rename, writeFile } from "node:fs/promises";
import type { ProcessEnd } from "./process-record.ts";
import type { AttemptFiles } from "./attempt-files.ts";
import type { ShellInput } from "./contract.ts";
import { jobVariable } from "./main-process.ts";

/** An account that commands run as. */
export interface CommandUser {
  readonly uid: number;
  readonly gid: number;
  /** What its login would set. */
  readonly env: Readonly<Record<string, string>>;
}

/** A program that makes a place for the command and runs it there, with its arguments. */
export interface Wrapper {
  readonly argv: readonly string[];
  /** Who the command then is: its files are made theirs. */
  readonly user?: CommandUser;
}

export interface LaunchRequest {
  readonly argv: readonly string[];
  readonly wrapper?: Wrapper;
  readonly cwd: string;
  /** What it inherits, unless that is what the server hands on to all commands. */
  readonly inheritedEnv?: Readonly<Record<string, string>>;
  /** Variables beside those that it inherits. */
  readonly env: Readonly<Record<string, string>>;
  /** Where to write who the process is and how it ended. An attempt whose record is there was started before. */
  readonly record: string;
  /** A named pipe to make, which stays open for both sides, or a file to read to its end. */
  readonly stdin: { readonly path: string; readonly isPipe: boolean };
  readonly stdout: string;
  readonly stderr: string;
}

export interface Launched {
  readonly pid: number;
  /** Undefined if this server cannot tell: the record can. */
  readonly ended: Promise<ProcessEnd | undefined>;
}

interface Place {
  readonly id: string;
  readonly files: AttemptFiles;
  readonly cwd: string;
  readonly shell: string;
  readonly inheritedEnv: Readonly<Record<string, string>> | undefined;
  readonly wrapper: Wrapper | undefined;
  /** What lets the command act on its own job. */
  readonly insideEnv: Readonly<Record<string, string>>;
}

/** What to start for an attempt: files for its output, a pipe or a file for its input. */
export async function toLaunchRequest(input: ShellInput, place: Place): Promise<LaunchRequest> {
  const { id, files, cwd, shell, inheritedEnv, wrapper, insideEnv } = place;
  if (input.stdin !== undefined) await writeInput(files.stdin, input.stdin);
  const terminal: Record<string, string> = input.pty === true ? { TERM: "xterm-256color" } : {};
  return {
    argv: toArgv(input, shell),
    wrapper,
    cwd,
    inheritedEnv,
    env: { ...wrapper?.user?.env, PWD: cwd, ...terminal, ...input.env, ...insideEnv, [jobVariable]: id },
    record: files.record,
    stdin: { path: files.stdin, isPipe: input.stdin === undefined },
    stdout: files.stdout.path,
    stderr: files.stderr.path,
  };
}

/** In one step: the same attempt, started by a server that died, may be reading it. */
async function writeInput(path: string, text: string): Promise<void> {
  await writeFile(`${path}.new`, text, { mode: 0o600 });
  await rename(`${path}.new`, path);
}

function toArgv(input: ShellInput, shell: string): string[] {
  const argv = input.argv ?? [shell, "-c", input.command ?? ""];
  if (input.pty !== true) return argv;
  return ["script", "-qefc", `stty cols 120 rows 40 2>/dev/null; exec ${argv.map(quote).join(" ")}`, "/dev/null"];
}

function quote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
