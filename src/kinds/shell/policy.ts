import { realpathSync, statSync } from "node:fs";
import { isAbsolute, resolve, sep } from "node:path";
import { LonghaulError, type ErrorCode } from "../../job/error.ts";
import { globToPattern } from "../../text/glob.ts";
import type { PatternPool } from "../../text/pattern-pool.ts";
import type { ShellInput } from "./contract.ts";

export interface ShellPolicy {
  /** If not empty, a command must match one of these. */
  readonly allow: readonly RegExp[];
  /** Names of variables that a caller may set although there are allow rules. */
  readonly allowEnv?: readonly string[];
  /** A command that matches one of these is refused. */
  readonly deny: readonly RegExp[];
  /** If not empty, working directories must lie in one of these. */
  readonly roots: readonly string[];
  readonly defaultCwd: string;
}

/** Refuses a command, or a text for a running command's input, that the configuration does not allow. */
export async function checkAllowed(policy: ShellPolicy, text: string, patterns: PatternPool): Promise<void> {
  const [denied] = await patterns.matchRules(policy.deny, text);
  if (denied !== undefined) {
    const rule = String(policy.deny[denied]);
    throw new LonghaulError("not_allowed", `This is not allowed here: it matches the deny rule ${rule}.`, {
      details: { rule: "deny" },
    });
  }
  if (policy.allow.length > 0 && (await patterns.matchRules(policy.allow, text)).length === 0) {
    throw new LonghaulError("not_allowed", "This is not allowed here: it matches none of the allow rules.", {
      details: { rule: "allow" },
    });
  }
}

/**
 * Refuses what would make an allowed command another one: most variables can (PATH, BASH_ENV, LD_PRELOAD …), and so can a program whose name
 * reads like a command with its arguments.
 */
export function checkDisguise({ allow, allowEnv = [] }: ShellPolicy, { env = {}, argv = [] }: ShellInput): void {
  if (allow.length === 0) return;
  const foreign = Object.keys(env).find((name) => !allowEnv.includes(name));
  if (foreign !== undefined) {
    throw new LonghaulError(
      "not_allowed",
      `The variable ${foreign} may not be set here, because only some commands are allowed: shell.allow_env names the variables that may.`,
    );
  }
  if (/\s/.test(argv[0] ?? "")) {
    throw new LonghaulError("not_allowed", "A program with white space in its name is not allowed here.");
  }
}

export function commandText(input: ShellInput): string {
  return input.command ?? (input.argv ?? []).join(" ");
}

/**
 * The working directory with all links resolved; refused if it is missing, outside the roots, or in one of the server's own folders. Where
 * none is wanted it is the caller's: one that cannot be had is refused too, because another folder would be the wrong one.
 */
export function resolveCwd(
  policy: Pick<ShellPolicy, "roots" | "defaultCwd">,
  wanted: string | undefined,
  { callersCwd, hidden = [] }: { callersCwd?: string; hidden?: readonly string[] } = {},
): string {
  const path = wanted ?? callersCwd ?? policy.defaultCwd;
  if (!isAbsolute(path)) {
    throw refuse("invalid_input", `must be an absolute path, got "${path}"`);
  }
  const isCallers = wanted === undefined && callersCwd !== undefined;
  const got = (folder: string): string => (isCallers ? `but you are in "${folder}": name another` : `got "${folder}"`);
  const real = realDirectory(path);
  if (real === undefined) throw refuse("invalid_input", `must be an existing directory, ${got(path)}`);
  if (policy.roots.length > 0 && !policy.roots.some((root) => isInside(realDirectory(root) ?? resolve(root), real))) {
    throw refuse("not_allowed", `must be in ${policy.roots.join(" or ")}, ${got(real)}`);
  }
  if (hidden.some((place) => isInside(place, real))) {
    throw refuse("not_allowed", `must not be in one of the server's own folders, ${got(real)}`);
  }
  return real;
}

function refuse(code: ErrorCode, problem: string): LonghaulError {
  return new LonghaulError(code, `cwd ${problem}.`, { details: { field: "cwd" } });
}

function realDirectory(path: string): string | undefined {
  try {
    const real = realpathSync.native(path);
    return statSync(real).isDirectory() ? real : undefined;
  } catch {
    return undefined;
  }
}

export function isInside(root: string, path: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
}

/** The variables that every command inherits: those that are allowed, and never our own. */
export function inheritEnv(names: readonly string[], env: NodeJS.ProcessEnv): Record<string, string> {
  const patterns = names.map((name) => new RegExp(`^(?:${globToPattern(name)})$`));
  const isInherited = (name: string): boolean =>
    !name.startsWith("LONGHAUL_") && !/[=\0]/.test(name) && patterns.some((pattern) => pattern.test(name));
  const kept = Object.entries(env).filter(
    // What is no variable, a file can still say: no program can be handed a zero byte.
    (entry): entry is [string, string] => isInherited(entry[0]) && entry[1]?.includes("\0") === false,
  );
  return Object.fromEntries(kept);
}
