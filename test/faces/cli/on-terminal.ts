import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { bin } from "./cli.ts";

/** What somebody at a terminal sees, control characters and all. */
export async function runOnTerminal(
  words: readonly string[],
  { home, env = {} }: { home: string; env?: Record<string, string> },
): Promise<string> {
  const { NO_COLOR: _no, FORCE_COLOR: _force, ...inherited } = process.env;
  const command = [process.execPath, bin, ...words]
    .map((word) => `'${word.replaceAll("'", String.raw`'\''`)}'`)
    .join(" ");
  const { stdout } = await promisify(execFile)("script", ["-qec", `stty cols 60; ${command}`, "/dev/null"], {
    env: { ...inherited, TERM: "xterm-256color", LONGHAUL_HOME: home, LONGHAUL_PORT: "0", ...env },
  });
  return stdout;
}
