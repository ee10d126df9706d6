import { realpathSync, statSync } from "node:fs";
import { isAbsolute, resolve, sep } from "node:path";
import { LonghaulError } from "../../job/error.ts";
import type { ShellInput } from "./input.ts";

export interface ShellPolicy {
  /** If not empty, a command must match one of these. */
  readonly allow: readonly RegExp[];
  /** A command that matches one of these is refused. */
  readonly deny: readonly RegExp[];
  /** If not empty, working directories must lie in one of these. */
  readonly roots: readonly string[];
  readonly defaultCwd: string;
}

/** Refuses a command, or a text for a running command's input, that the configuration does not allow. */
export function checkAllowed(policy: ShellPolicy, text: string): void {
  const denied = policy.deny.find((pattern) => pattern.test(text));
  if (denied !== undefined) {
    throw new LonghaulError("not_allowed", `This is not allowed here: it matches the deny rule ${String(denied)}.`);
  }
  if (policy.allow.length > 0 && !policy.allow.some((pattern) => pattern.test(text))) {
    throw new LonghaulError("not_allowed", "This is not allowed here: it matches none of the allow rules.");
  }
}

export function commandText(input: ShellInput): string {
  return input.command ?? (input.argv ?? []).join(" ");
}

/** The working directory with all links resolved; refused if it is missing or outside the roots. */
export function resolveCwd(policy: ShellPolicy, wanted: string | undefined): string {
  const path = wanted ?? policy.defaultCwd;
  if (!isAbsolute(path)) {
    throw new LonghaulError("invalid_input", `cwd must be an absolute path, got "${path}".`);
  }
  const real = realDirectory(path);
  if (real === undefined) throw new LonghaulError("invalid_input", `cwd must be an existing directory, got "${path}".`);
  if (policy.roots.length > 0 && !policy.roots.some((root) => isInside(realDirectory(root) ?? resolve(root), real))) {
    throw new LonghaulError("not_allowed", `cwd must lie in ${policy.roots.join(" or ")}, got "${real}".`);
  }
  return real;
}

function realDirectory(path: string): string | undefined {
  try {
    const real = realpathSync.native(path);
    return statSync(real).isDirectory() ? real : undefined;
  } catch {
    return undefined;
  }
}

function isInside(root: string, path: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
}

/** The variables that every command inherits: those that are allowed, and never our own. */
export function inheritEnv(names: readonly string[], env: NodeJS.ProcessEnv): Record<string, string> {
  const patterns = names.map(toPattern);
  const kept = Object.entries(env).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && !entry[0].startsWith("LONGHAUL_") && patterns.some((pattern) => pattern.test(entry[0])),
  );
  return Object.fromEntries(kept);
}

function toPattern(glob: string): RegExp {
  return new RegExp(`^${glob.replace(/[.+?^${}()|[\]\\]/g, "\\$&").replaceAll("*", ".*")}$`);
}
