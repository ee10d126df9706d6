import { delimiter, join } from "node:path";
import type { Paths } from "../config/paths.ts";
import type { InsideVariables } from "../kinds/shell/shell.ts";
import { findProgram, isProgram } from "../text/find-program.ts";

/** Holds `longhaul` as a program that a shell finds; written with the build. */
export const programFolder = join(import.meta.dirname, "..", "bin");

/**
 * The variables by which a command acts on its own job: its token, and where the server is. Jobs may start before the server listens, so
 * the address is waited for.
 */
export function createInsideVariables({ socket }: Pick<Paths, "socket">): {
  readonly variables: InsideVariables;
  readonly setAddress: (url: string) => void;
} {
  let tellAddress: ((url: string) => void) | undefined;
  const address = new Promise<string>((resolve) => {
    tellAddress = resolve;
  });
  const variables: InsideVariables = async ({ token, isApart, searchPath }, signal) => ({
    LONGHAUL_JOB_TOKEN: token,
    LONGHAUL_JOB_URL: toReachable(await orAborted(address, signal)),
    // It stays the same when the port does not, and nobody else can listen there.
    ...(isApart ? {} : { LONGHAUL_JOB_SOCKET: socket }),
    ...findOwnProgram(searchPath),
  });
  return { variables, setAddress: (url) => tellAddress?.(url) };
}

/** Where the command would not find `longhaul` by itself, it is found last. */
function findOwnProgram(searchPath: string | undefined): Record<string, string> {
  if (searchPath === undefined || findProgram("longhaul", searchPath) !== undefined) return {};
  if (!isProgram(join(programFolder, "longhaul"))) return {};
  return { PATH: `${searchPath}${delimiter}${programFolder}`, LONGHAUL_NODE: process.execPath };
}

/** "All addresses" is none that could be asked for. */
function toReachable(url: string): string {
  return url.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:");
}

function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    signal.addEventListener("abort", abort, { once: true });
    void promise.then((value) => {
      signal.removeEventListener("abort", abort);
      return resolve(value);
    });
  });
}
