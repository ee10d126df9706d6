import { rename, writeFile } from "node:fs/promises";
import type { AttemptFiles } from "./attempt-files.ts";
import type { ShellInput } from "./input.ts";
import type { LaunchRequest } from "./launch-request.ts";
import { jobVariable } from "./main-process.ts";

interface Place {
  readonly id: string;
  readonly files: AttemptFiles;
  readonly cwd: string;
  readonly shell: string;
}

/** What to start for an attempt: files for its output, a pipe or a file for its input. */
export async function toLaunchRequest(input: ShellInput, { id, files, cwd, shell }: Place): Promise<LaunchRequest> {
  if (input.stdin !== undefined) await writeInput(files.stdin, input.stdin);
  const terminal = input.pty === true ? { TERM: "xterm-256color" } : {};
  return {
    argv: toArgv(input, shell),
    cwd,
    env: { PWD: cwd, ...terminal, ...input.env, [jobVariable]: id },
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
