import { LonghaulError } from "../../../job/error.ts";

/** What mcp-background-job refuses, wherever it stands in a command. A courtesy, not a sandbox. */
const dangerous: readonly RegExp[] = [
  /rm\b.*-rf.*\//i,
  /sudo\b.*rm\b/i,
  />\s*\/dev\/(?!null\b|stdout\b|stderr\b)/i,
  /wget\b.*\|.*\bsh\b/i,
  /curl\b.*\|.*\bsh\b/i,
  /curl\b.*\|.*\bbash\b/i,
  /dd\s+if=.*of=\/dev\//i,
  /mkfs\./i,
  /\bfdisk\b/i,
  /:\(\)\s*\{\s*:\s*\|\s*:\s*&\s*\}\s*;\s*:/i,
  /cat\s+\/dev\/urandom/i,
  /chmod\b.*777.*\//i,
  /chown\b.*root.*\//i,
];

/** Refuses a command in the words that clients of mcp-background-job know. */
export function checkCommand(command: string, allowed: readonly RegExp[]): void {
  if (command.trim() === "") throw invalid("Command cannot be empty");
  if (dangerous.some((pattern) => pattern.test(command))) {
    throw invalid(`Command contains dangerous pattern and is not allowed: ${command}`);
  }
  if (allowed.length > 0 && !allowed.some((pattern) => pattern.test(command))) {
    throw invalid(`Command not in allowed patterns: ${command}`);
  }
  if (hasOpenQuote(command)) throw invalid("No closing quotation");
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
