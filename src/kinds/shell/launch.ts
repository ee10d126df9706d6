import { rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { JobContext } from "../../job/kind.ts";
import type { ShellInput } from "./input.ts";
import type { LaunchRequest } from "./launch-request.ts";
import { jobToken, recordFile } from "./main-process.ts";

interface Place {
  readonly folder: string;
  readonly cwd: string;
  readonly shell: string;
}

/** What to start for an attempt: files for its output, a pipe or a file for its input. */
export async function toLaunchRequest(input: ShellInput, context: JobContext, place: Place): Promise<LaunchRequest> {
  const { folder, cwd, shell } = place;
  const stdin = { path: inputFile(folder), isPipe: input.stdin === undefined };
  if (input.stdin !== undefined) await writeInput(stdin.path, input.stdin);
  const [name = "", value = ""] = jobToken(context.id).split("=");
  const terminal = input.pty === true ? { TERM: "xterm-256color" } : {};
  return {
    argv: toArgv(input, shell),
    cwd,
    env: { PWD: cwd, ...terminal, ...input.env, [name]: value },
    record: recordFile(folder),
    stdin,
    stdout: context.outputFile("stdout").path,
    stderr: context.outputFile("stderr").path,
  };
}

export function inputFile(folder: string): string {
  return join(folder, "stdin");
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
