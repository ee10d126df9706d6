import { join } from "node:path";
import type { JobContext } from "../../job/kind.ts";
import type { OutputFile } from "../../job/output.ts";

/** The files of one attempt. They outlive the server, and the next one finds them by the same names. */
export interface AttemptFiles {
  /** Who the process is and how it ended. */
  readonly record: string;
  /** A pipe that takes what is sent, or the text that was given at the start. */
  readonly stdin: string;
  /** Where a command whose input may end has a holder: the pipe through which that takes what is sent. */
  readonly frames: string;
  readonly stdout: OutputFile;
  readonly stderr: OutputFile;
}

export function recordFile(folder: string): string {
  return join(folder, "process");
}

export function openFiles(context: JobContext): AttemptFiles {
  const folder = context.folder();
  return {
    record: recordFile(folder),
    stdin: join(folder, "stdin"),
    frames: join(folder, "input"),
    stdout: context.outputFile("stdout"),
    stderr: context.outputFile("stderr"),
  };
}
