import { rename, writeFile } from "node:fs/promises";
import type { ProcessEnd } from "./process-record.ts";
import type { AttemptFiles } from "./attempt-files.ts";
import type { WindowSize } from "../../job/kind.ts";
import type { ShellInput } from "./contract.ts";
import { attemptVariable, jobVariable } from "./main-process.ts";

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

/**
 * A file to read to its end, a named pipe to make, which stays open for both sides, or a named pipe that a holder feeds with the texts
 * of frames, and closes when they say so.
 */
export type CommandInput =
  | { readonly type: "file" | "pipe"; readonly path: string }
  | { readonly type: "feed"; readonly path: string; readonly frames: string };

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
  readonly stdin: CommandInput;
  /** Runs it on a terminal, whose window has this size. */
  readonly terminal?: WindowSize;
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
  readonly attempt: number;
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
  const { id, attempt, files, cwd, shell, inheritedEnv, wrapper, insideEnv } = place;
  if (input.stdin !== undefined) await writeInput(files.stdin, input.stdin);
  const terminal: Record<string, string> = input.pty === true ? { TERM: "xterm-256color" } : {};
  const marks = { [jobVariable]: id, [attemptVariable]: String(attempt) };
  return {
    argv: input.argv ?? [shell, "-c", input.command ?? ""],
    terminal: input.pty === true ? (input.window ?? defaultSize) : undefined,
    wrapper,
    cwd,
    inheritedEnv,
    env: { ...wrapper?.user?.env, PWD: cwd, ...terminal, ...input.env, ...insideEnv, ...marks },
    record: files.record,
    stdin: toCommandInput(input, files),
    stdout: files.stdout.path,
    stderr: files.stderr.path,
  };
}

function toCommandInput(input: ShellInput, { stdin: path, frames }: AttemptFiles): CommandInput {
  if (input.stdin !== undefined) return { type: "file", path };
  return input.stream_stdin === true || input.pty === true ? { type: "feed", path, frames } : { type: "pipe", path };
}

/** In one step: the same attempt, started by a server that died, may be reading it. */
async function writeInput(path: string, text: string): Promise<void> {
  await writeFile(`${path}.new`, text, { mode: 0o600 });
  await rename(`${path}.new`, path);
}

const defaultSize: WindowSize = { columns: 120, rows: 40 };

/** Where we cannot hold a terminal, the program `script` does; its window keeps its size. */
export function onScript(request: LaunchRequest): LaunchRequest {
  const { terminal, argv, stdin } = request;
  if (terminal === undefined) return request;
  const size = `stty cols ${terminal.columns} rows ${terminal.rows} 2>/dev/null`;
  return {
    ...request,
    terminal: undefined,
    argv: ["script", "-qefc", `${size}; exec ${argv.map(quote).join(" ")}`, "/dev/null"],
    stdin: stdin.type === "feed" ? { type: "pipe", path: stdin.path } : stdin,
  };
}

function quote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
