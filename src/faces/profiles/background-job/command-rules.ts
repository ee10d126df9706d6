import { LonghaulError } from "../../../job/error.ts";
import type { PatternPool } from "../../../text/pattern-pool.ts";

/** Refuses what the settings of mcp-background-job refuse, in the words that its clients know. */
export async function checkCommand(
  command: string,
  allowed: readonly (readonly RegExp[])[],
  patterns: PatternPool,
): Promise<void> {
  if (command.trim() === "") throw invalid("Command cannot be empty");
  const matched = await Promise.all(allowed.map((rules) => patterns.matchRules(rules, command)));
  if (matched.some(({ length }) => length === 0)) throw refuseByRule("allow", command);
}

/** What the server's own rules refuse, and what is no command to it, in the same words. */
export function inKnownWords(error: unknown, command: string): unknown {
  if (!(error instanceof LonghaulError)) return error;
  const { rule } = error.details;
  if (rule === "allow" || rule === "deny") return refuseByRule(rule, command);
  return error.code === "invalid_input" ? invalid(error.message) : error;
}

const longestShown = 500;

function refuseByRule(rule: "allow" | "deny", command: string): LonghaulError {
  const shown = command.length > longestShown ? `${command.slice(0, longestShown)}…` : command;
  return rule === "deny"
    ? invalid(`Command contains dangerous pattern and is not allowed: ${shown}`)
    : invalid(`Command not in allowed patterns: ${shown}`);
}

function invalid(why: string): LonghaulError {
  return new LonghaulError("invalid_input", `Invalid command: ${why}`);
}
