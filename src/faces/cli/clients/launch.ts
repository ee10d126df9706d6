import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import type { CliContext } from "../cli-context.ts";
import { findProgram } from "../../../text/find-program.ts";
import type { Entry, Launch } from "./mcp-client.ts";

interface LaunchOptions {
  readonly profile: string | undefined;
  /** The project whose file it is; such a file is read on other machines too. Undefined for the user's own file. */
  readonly project: string | undefined;
}

/** Variables that decide which server a client reaches, and that clients do not hand on by themselves. */
export const ownVariables = ["LONGHAUL_HOME", "LONGHAUL_CONFIG", "LONGHAUL_PORT"] as const;

/**
 * How a client starts Longhaul. Clients with a window have next to nothing on their PATH, so an installed program is named by its own
 * path and Node's; what will be cleaned up is left to npx.
 */
export function makeLaunch(cli: CliContext, { profile, project }: LaunchOptions): Launch {
  const words = ["mcp", ...(profile === undefined ? [] : ["--profile", profile])];
  const shared = project === undefined ? undefined : findSharedCommand(cli, project);
  if (shared !== undefined) return { command: shared[0], args: [...shared.slice(1), ...words], env: {} };
  const { program } = cli;
  const env = project === undefined ? findVariables(cli) : {};
  if (isTemporary(program.file)) return { command: "npx", args: ["-y", "longhaul", ...words], env };
  return { command: lastingPath(program.executable), args: [program.file, ...words], env };
}

/**
 * A command that is there on other machines too, if there is one. Nothing is fetched from the registry: what is not installed must
 * fail, and not run whatever a stranger publishes under the name.
 */
function findSharedCommand({ environment }: CliContext, project: string): [string, ...string[]] | undefined {
  if (existsSync(join(project, "node_modules", ".bin", "longhaul"))) return ["npx", "--no", "longhaul"];
  return findProgram("longhaul", environment.variable("PATH")) !== undefined ? ["longhaul"] : undefined;
}

/** The variables of our own that are set here, as a program that starts elsewhere needs them. */
export function findVariables({ environment }: Pick<CliContext, "environment">): Launch["env"] {
  const { paths, variable } = environment;
  const isSet = (name: string): boolean => (variable(name) ?? "") !== "";
  return {
    ...(isSet("LONGHAUL_HOME") || isSet("XDG_STATE_HOME") ? { LONGHAUL_HOME: paths.home } : {}),
    ...(isSet("LONGHAUL_CONFIG") ? { LONGHAUL_CONFIG: resolve(paths.config) } : {}),
    ...(isSet("LONGHAUL_PORT") ? { LONGHAUL_PORT: variable("LONGHAUL_PORT") ?? "" } : {}),
  };
}

/** The caches of npx, pnpm dlx, yarn dlx and bunx. */
export function isTemporary(file: string): boolean {
  return /[\\/](_npx|dlx(-[^\\/]*)?|bunx-[^\\/]*)[\\/]/.test(file);
}

/** Homebrew's folder of one version goes with the next upgrade; its link to the newest one stays. */
export function lastingPath(executable: string): string {
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
