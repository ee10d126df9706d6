import { existsSync } from "node:fs";
import type { Profile } from "../../../config/profiles.ts";
import type { Front } from "../front.ts";
import type { Entry, Launch } from "./mcp-client.ts";

interface LaunchOptions {
  readonly profile: Profile | undefined;
  /** The file is read on other machines too. */
  readonly isShared: boolean;
}

/**
 * How a client starts Longhaul. Clients with a window have next to nothing on their PATH, so an installed program is named by its own
 * path and Node's; what will be cleaned up, or is read on other machines, is left to npx.
 */
export function makeLaunch({ program, environment }: Front, { profile, isShared }: LaunchOptions): Launch {
  const words = ["mcp", ...(profile === undefined ? [] : ["--profile", profile])];
  const home = environment.variable("LONGHAUL_HOME") ?? "";
  const env = home === "" || isShared ? {} : { LONGHAUL_HOME: environment.paths.home };
  if (isShared || isTemporary(program.file)) return { command: "npx", args: ["-y", "longhaul", ...words], env };
  return { command: lastingPath(program.executable), args: [program.file, ...words], env };
}

/** The caches of npx, pnpm dlx, yarn dlx and bunx. */
function isTemporary(file: string): boolean {
  return /[\\/](_npx|dlx(-[^\\/]*)?|bunx-[^\\/]*)[\\/]/.test(file);
}

/** Homebrew's folder of one version goes with the next upgrade; its link to the newest one stays. */
function lastingPath(executable: string): string {
  const linked = executable.replace(/\/Cellar\/([^/]+)\/[^/]+\//, "/opt/$1/");
  return existsSync(linked) ? linked : executable;
}

/** True for what `makeLaunch` writes, wherever and however Longhaul was installed then. */
export function isOurs(entry: unknown): entry is Entry {
  if (typeof entry !== "object" || entry === null) return false;
  const words = [(entry as Entry)["command"], (entry as Entry)["args"]].flat();
  const program = words[words.indexOf("mcp") - 1];
  return (
    typeof program === "string" && /(^|[\\/])longhaul(@[^\\/]*)?$|[\\/]dist[\\/]server[\\/]main\.js$/.test(program)
  );
}
