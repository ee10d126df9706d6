import { spawn } from "node:child_process";
import { once } from "node:events";

export interface CommandPlace {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
}

/** Runs a program to its end, which must be a good one; returns how many milliseconds it took. */
export async function timeCommand(
  program: string,
  words: readonly string[],
  place: CommandPlace = {},
): Promise<number> {
  const startedAt = performance.now();
  const child = spawn(program, words, { ...place, stdio: ["ignore", "ignore", "inherit"] });
  const [code] = (await once(child, "exit")) as [number | null];
  const elapsed = performance.now() - startedAt;
  if (code !== 0) throw new Error(`\`${program} ${words.join(" ")}\` ended with ${code ?? "a signal"}.`);
  return elapsed;
}
