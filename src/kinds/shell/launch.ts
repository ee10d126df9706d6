import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { JobContext } from "../../job/kind.ts";
import type { InputPipes } from "./input-pipe.ts";
import type { ShellInput } from "./input.ts";
import type { Launched, Launcher } from "./launcher.ts";
import { wrapperScript, type WrapperMode } from "./wrapper.ts";

interface CommandStart {
  readonly input: ShellInput;
  readonly context: JobContext;
  readonly folder: string;
  readonly cwd: string;
  readonly env: Record<string, string>;
  readonly shell: string;
  readonly pipes: InputPipes;
  readonly launcher: Launcher;
}

/** The variable that marks all processes of a job, wherever they go. */
export function jobToken(id: string): string {
  return `LONGHAUL_JOB_ID=${id}`;
}

/** Starts the command under its wrapper, with files for its output and a pipe or a file for its input. */
export async function launchCommand(start: CommandStart): Promise<Launched> {
  const { input, context, folder, cwd, env, shell } = start;
  const path = join(folder, "stdin");
  const isPipe = input.stdin === undefined;
  if (input.stdin === undefined) await start.pipes.place(path);
  else await writeFile(path, input.stdin, { mode: 0o600 });
  const command = input.argv ?? [input.command ?? ""];
  return start.launcher.launch({
    argv: [shell, "-c", wrapperScript, "longhaul", folder, toMode(input), ...command],
    cwd,
    env,
    stdin: { path, isPipe },
    stdout: context.outputFile("stdout").path,
    stderr: context.outputFile("stderr").path,
  });
}

function toMode(input: ShellInput): WrapperMode {
  if (input.argv !== undefined) return "argv";
  return input.pty === true ? "pty" : "shell";
}
