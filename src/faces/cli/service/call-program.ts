import { execFile } from "node:child_process";
import { findProgram } from "../../../text/find-program.ts";
import { ServerError } from "../server/server-error.ts";

/** Calls one program of the system with arguments. */
export interface ProgramCaller {
  /** What it printed; undefined if it is not there or did not succeed. */
  readonly ask: (...words: string[]) => Promise<string | undefined>;
  /** Throws, in one sentence, if it does not succeed. */
  readonly demand: (...words: string[]) => Promise<void>;
}

/** A manager that hangs is not waited for. */
const timeoutMs = 60_000;

export function createProgramCaller(name: string, searchPath: string): ProgramCaller {
  const call = (words: readonly string[]): Promise<{ output: string; failure?: string }> =>
    new Promise((resolve) => {
      const program = findProgram(name, searchPath);
      if (program === undefined) return resolve({ output: "", failure: "it is not installed" });
      execFile(program, words, { timeout: timeoutMs }, (error, stdout, stderr) => {
        if (error === null) return resolve({ output: stdout.trim() });
        const failure = stderr.trim().replaceAll(/\s+/g, " ") || stdout.trim() || error.message;
        return resolve({ output: "", failure });
      });
    });
  return {
    ask: async (...words) => {
      const { output, failure } = await call(words);
      return failure === undefined ? output : undefined;
    },
    demand: async (...words) => {
      const { failure } = await call(words);
      if (failure !== undefined) throw new ServerError(`\`${[name, ...words].join(" ")}\` failed: ${failure}`);
    },
  };
}
