import { spawn, type ChildProcess } from "node:child_process";
import { closeSync, constants, openSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { JobFailure } from "../../job/failure.ts";
import type { JobContext } from "../../job/kind.ts";
import type { InputPipes } from "./input-pipe.ts";
import type { ShellInput } from "./input.ts";
import { wrapperScript, type WrapperMode } from "./wrapper.ts";

export interface Launch {
  readonly input: ShellInput;
  readonly context: JobContext;
  readonly folder: string;
  readonly cwd: string;
  readonly env: Record<string, string>;
  readonly shell: string;
  readonly pipes: InputPipes;
}

/** The variable that marks all processes of a job, wherever they go. */
export function jobToken(id: string): string {
  return `LONGHAUL_JOB_ID=${id}`;
}

/**
 * Starts the command in a process group of its own, with files for its output and a pipe or a file for its input: it
 * shares nothing with the server that could end with it.
 */
export async function launch(options: Launch): Promise<ChildProcess> {
  const { input, context, folder, cwd, env, shell } = options;
  const stdinPath = join(folder, "stdin");
  if (input.stdin === undefined) await options.pipes.place(stdinPath);
  else await writeFile(stdinPath, input.stdin, { mode: 0o600 });
  const files = [
    // Read and write, so that neither side waits for the other and the command sees no end while nobody writes.
    openSync(stdinPath, input.stdin === undefined ? constants.O_RDWR : constants.O_RDONLY),
    openSync(context.outputFile("stdout").path, "a", 0o600),
    openSync(context.outputFile("stderr").path, "a", 0o600),
  ];
  try {
    const arguments_ = [
      "-c",
      wrapperScript,
      "longhaul",
      folder,
      toMode(input),
      ...(input.argv ?? [input.command ?? ""]),
    ];
    const child = spawn(shell, arguments_, { cwd, env, detached: true, stdio: files });
    await started(child, shell, cwd);
    child.unref();
    return child;
  } finally {
    files.forEach((file) => closeSync(file));
  }
}

function toMode(input: ShellInput): WrapperMode {
  if (input.argv !== undefined) return "argv";
  return input.pty === true ? "pty" : "shell";
}

async function started(child: ChildProcess, shell: string, cwd: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    child.once("spawn", resolve);
    child.once("error", (error) => {
      reject(
        new JobFailure("not_started", `${shell} could not be started in ${cwd}: ${error.message}.`, {
          retryable: false,
          cause: error,
        }),
      );
    });
  });
}
