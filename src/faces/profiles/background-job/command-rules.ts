import { LonghaulError } from "../../../job/error.ts";
import type { PatternPool } from "../../../text/pattern-pool.ts";

/**
 * What mcp-background-job refuses, wherever it stands in a command: parts that follow each other on one line, each looked for once after
 * the one before, because `a.*b.*c` takes very long on a long line. A courtesy, not a sandbox.
 */
const dangerous: readonly (readonly RegExp[])[] = [
  [/rm\b/i, /-rf/i, /\//],
  [/sudo\b/i, /rm\b/i],
  [/>\s*\/dev\/(?!null\b|stdout\b|stderr\b)/i],
  [/wget\b/i, /\|/, /\bsh\b/i],
  [/curl\b/i, /\|/, /\bsh\b/i],
  [/curl\b/i, /\|/, /\bbash\b/i],
  [/dd\s+if=/i, /of=\/dev\//i],
  [/mkfs\./i],
  [/\bfdisk\b/i],
  [/:\(\)\s*\{\s*:\s*\|\s*:\s*&\s*\}\s*;\s*:/i],
  [/cat\s+\/dev\/urandom/i],
  [/chmod\b/i, /777/, /\//],
  [/chown\b/i, /root/i, /\//],
];

/** Refuses a command in the words that clients of mcp-background-job know. */
export async function checkCommand(
  command: string,
  allowed: readonly (readonly RegExp[])[],
  patterns: PatternPool,
): Promise<void> {
  if (command.trim() === "") throw invalid("Command cannot be empty");
  if (dangerous.some((parts) => holds(command, parts))) {
    throw invalid(`Command contains dangerous pattern and is not allowed: ${command}`);
  }
  const matched = await Promise.all(allowed.map((rules) => patterns.matchRules(rules, command)));
  if (matched.some(({ length }) => length === 0)) {
    throw invalid(`Command not in allowed patterns: ${command}`);
  }
  if (hasOpenQuote(command)) throw invalid("No closing quotation");
}

/** Part after part: the next line is looked at when one of them is missing on this. */
function holds(command: string, parts: readonly RegExp[]): boolean {
  if (parts.length === 1) return parts.every((part) => part.test(command));
  return command.split("\n").some((line) => {
    let rest: string | undefined = line;
    for (const part of parts) {
      const found: RegExpExecArray | null = rest === undefined ? null : part.exec(rest);
      rest = found === null ? undefined : rest?.slice(found.index + found[0].length);
    }
    return rest !== undefined;
  });
}

function invalid(why: string): LonghaulError {
  return new LonghaulError("invalid_input", `Invalid command: ${why}`);
}

function hasOpenQuote(command: string): boolean {
  let quote: string | undefined;
  for (let index = 0; index < command.length; index++) {
    const character = command[index];
    if (character === "\\" && quote !== "'") index += 1;
    else if (quote !== undefined) quote = character === quote ? undefined : quote;
    else if (character === "'" || character === '"') quote = character;
  }
  return quote !== undefined;
}
