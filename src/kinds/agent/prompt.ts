import { messageOf } from "../../job/failure.ts";
import { wellFormed } from "../../text/well-formed.ts";
import type { AgentInput } from "./contract.ts";
import type { ConfinedFiles } from "./tools/confined-files.ts";

const longestFile = 200_000;

export interface Prompt {
  /** Context and files. */
  readonly background: string;
  /** The task and the desired output. */
  readonly goal: string;
}

/** Context, files, task, desired output: in this order, each under its own heading. */
export async function buildPrompt(input: AgentInput, files: ConfinedFiles): Promise<Prompt> {
  const read = await Promise.all((input.files ?? []).map((path) => showFile(path, files)));
  const context = input.context === undefined ? "" : `## Context\n\n${input.context}`;
  const shown = read.length === 0 ? "" : `## Files\n\n${read.join("\n\n")}`;
  const output = input.output === undefined ? "" : `## Desired Output\n\n${input.output}`;
  return { background: join([context, shown]), goal: join([`## Task\n\n${input.task}`, output]) };
}

export function promptText({ background, goal }: Prompt): string {
  return join([background, goal]);
}

function join(blocks: readonly string[]): string {
  return blocks.filter((block) => block !== "").join("\n\n");
}

/** A file that cannot be read is told in its place; the task starts all the same. */
async function showFile(path: string, files: ConfinedFiles): Promise<string> {
  const text = await files.readText(path).catch((error: unknown) => `[it could not be read: ${messageOf(error)}]`);
  const shown =
    text.length > longestFile
      ? `${wellFormed(text.slice(0, longestFile))}\n[cut: it has ${text.length} characters]`
      : text;
  return `=== ${path} ===\n${shown}\n=== end of ${path} ===`;
}
