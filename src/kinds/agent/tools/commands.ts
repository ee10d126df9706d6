import { z } from "zod";
import { LonghaulError } from "../../../job/error.ts";
import type { JobId } from "../../../job/id.ts";
import type { ChildEnd, JobContext } from "../../../job/kind.ts";
import { sayStatus } from "../../../job/status-words.ts";
import { defineTool, type AgentTool, type ToolUse } from "./agent-tool.ts";
import { searchLines } from "./read-tools.ts";

const shownBytes = 12_000;
const defaultSeconds = 600;
const searchedBytes = 64_000_000;
const maxMatches = 100;
const longestLine = 400;

/** The commands that the agent has started, by number from 1 on; part of its checkpoint. */
export interface CommandList {
  readonly items: { readonly id: JobId; readonly isBackground: boolean }[];
}

const number = z.int().min(1).describe("The command's number.");
const stream = z.enum(["stdout", "stderr"]).default("stdout");

/** A job of its own, under the same rules as any command; after a restart the same call finds the same job. */
const runCommand = defineTool({
  name: "run_command",
  description: `Run a shell command in the working folder and wait for its end. It is ended after timeout_seconds (${defaultSeconds} unless given). With background it goes on while you do other things, its input stays open, and it ends with the task at the latest: for servers, watchers and programs that ask.`,
  input: z.object({
    command: z.string().min(1).max(100_000),
    timeout_seconds: z.number().min(1).max(86_400).optional(),
    background: z.boolean().default(false),
  }),
  changes: "commands",
  brief: ({ command }) => command,
  run: async ({ command, timeout_seconds: seconds, background }, use) => {
    const { job, files, key, commands } = use;
    const runSeconds = seconds ?? (background ? undefined : defaultSeconds);
    const id = await job.spawn({
      kind: "shell",
      // The input of a command that is waited for has ended, so that nothing waits for somebody to type.
      input: { command, cwd: files.root, ...(background ? {} : { stdin: "" }) },
      key,
      ...(runSeconds === undefined ? {} : { limits: { runMs: Math.round(runSeconds * 1_000) } }),
    });
    commands.items.push({ id, isBackground: background });
    const count = commands.items.length;
    if (background) return `Command ${count} runs in the background.`;
    return showEnd(await job.childEnd(id), { job, id, count });
  },
});

const commandOutput = defineTool({
  name: "command_output",
  description:
    "Read what a command has written: its end unless from says where to begin, or the lines that match pattern (RE2), each with its offset.",
  input: z.object({
    command: number,
    stream,
    from: z.int().optional().describe("Offset in bytes; a negative one counts from the end."),
    pattern: z.string().min(1).max(1_000).optional(),
  }),
  isReader: () => true,
  brief: ({ command, pattern }) => (pattern === undefined ? `${command}` : `${command} ${pattern}`),
  run: async ({ command, stream: name, from = -shownBytes, pattern }, use) => {
    const { id } = findCommand(command, use);
    const state = sayState(await use.job.childNow(id));
    if (pattern !== undefined) return `${await searchOutput(id, name, pattern, use)}\n[${state}]`;
    const { text, start, next, size } = await readOutput(use.job, id, name, from);
    const rest = next < size ? `; read on from ${next}` : "";
    return `${text}\n[bytes ${start} to ${next} of ${size}${rest}; ${state}]`;
  },
});

const commandWait = defineTool({
  name: "command_wait",
  description: "Wait for the end of a command in the background, at most so many seconds.",
  input: z.object({ command: number, seconds: z.number().min(0).max(3_600).default(60) }),
  brief: ({ command }) => `${command}`,
  run: async ({ command, seconds }, use) => {
    const { id } = findCommand(command, use);
    const end = await use.job.childEndWithin(id, seconds * 1_000);
    return showEnd(end, { job: use.job, id, count: command });
  },
});

const commandSend = defineTool({
  name: "command_send",
  description: "Send a line to the input of a command in the background, as if typed.",
  input: z.object({
    command: number,
    text: z.string().max(100_000),
    newline: z.boolean().default(true).describe("End it with a newline."),
  }),
  changes: "commands",
  isUnrepeatable: true,
  brief: ({ command, text }) => `${command} ${text}`,
  run: async ({ command, text, newline }, use) => {
    await use.job.sendToChild(findCommand(command, use).id, newline ? `${text}\n` : text);
    return `Sent to command ${command}.`;
  },
});

const commandStop = defineTool({
  name: "command_stop",
  description: "End a command that runs in the background.",
  input: z.object({ command: number }),
  changes: "commands",
  brief: ({ command }) => `${command}`,
  run: async ({ command }, use) => {
    const { id } = findCommand(command, use);
    return showEnd(await use.job.stopChild(id), { job: use.job, id, count: command });
  },
});

/** What an agent leaves running ends with it. */
export async function stopCommands({ items }: CommandList, job: JobContext): Promise<void> {
  const inBackground = items.filter(({ isBackground }) => isBackground);
  await Promise.all(inBackground.map(({ id }) => job.stopChild(id)));
}

function findCommand(command: number, { commands }: ToolUse): CommandList["items"][number] {
  const found = commands.items[command - 1];
  if (found !== undefined) return found;
  const known = commands.items.length === 0 ? "none was started" : `the last one is ${commands.items.length}`;
  throw new LonghaulError("not_found", `There is no command ${command}: ${known}.`);
}

function sayState(end: ChildEnd | undefined): string {
  if (end === undefined) return "it is still running";
  return end.status === "succeeded" ? "exit code 0" : (end.failure?.message ?? `The command ${sayStatus(end.status)}.`);
}

async function showEnd(
  end: ChildEnd | undefined,
  { job, id, count }: { job: JobContext; id: JobId; count: number },
): Promise<string> {
  const [stdout, stderr] = await Promise.all([readTail(job, id, "stdout", count), readTail(job, id, "stderr", count)]);
  const parts = [stdout, stderr === "" ? "" : `[stderr]\n${stderr}`, `[${sayState(end)}]`];
  return parts.filter((part) => part !== "").join("\n");
}

/** The end of what it wrote: that is where the errors are. */
async function readTail(job: JobContext, id: JobId, name: string, count: number): Promise<string> {
  const { text, start, size } = await readOutput(job, id, name, -shownBytes);
  const left = `[the first ${start} of ${size} bytes are left out: command_output reads them, command ${count}]`;
  return start > 0 ? `${left}\n${text.trimEnd()}` : text.trimEnd();
}

interface OutputPart {
  readonly text: string;
  readonly start: number;
  readonly next: number;
  readonly size: number;
}

async function readOutput(job: JobContext, id: JobId, name: string, from: number): Promise<OutputPart> {
  const { bytes, next, size } = await job.childOutput(id, name, from);
  const start = next - bytes.length;
  const shown = bytes.subarray(0, shownBytes);
  return { text: Buffer.from(shown).toString("utf8"), start, next: start + shown.length, size };
}

/** Line by line from the beginning, each with the offset at which `from` finds it again. */
async function searchOutput(id: JobId, name: string, pattern: string, use: ToolUse): Promise<string> {
  const found: string[] = [];
  for (let from = 0; from < searchedBytes;) {
    const { bytes, next, size } = await use.job.childOutput(id, name, from);
    if (bytes.length === 0) break;
    const text = Buffer.from(bytes);
    // What begins in this part and ends in the next one is looked at with that.
    const end = next < size ? text.lastIndexOf("\n") + 1 : text.length;
    const part = text.subarray(0, end === 0 ? text.length : end);
    const start = next - bytes.length;
    const offsets = lineOffsets(part, start);
    for await (const { number: line, line: shown } of searchLines(part.toString("utf8"), pattern, use)) {
      if (found.length >= maxMatches) return [...found, `[more match; search for less]`].join("\n");
      found.push(`${offsets[line - 1] ?? start}: ${shown.slice(0, longestLine)}`);
    }
    from = start + part.length;
    use.job.touch();
  }
  return found.join("\n") || "Nothing matches.";
}

function lineOffsets(bytes: Buffer, start: number): number[] {
  const offsets = [start];
  for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) offsets.push(start + at + 1);
  return offsets;
}

export const commandTools: readonly AgentTool[] = [runCommand, commandOutput, commandWait, commandSend, commandStop];
