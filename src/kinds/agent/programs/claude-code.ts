import { z } from "zod";
import { option, type Program, type ProgramNews } from "./program.ts";

const usage = z.looseObject({
  input_tokens: z.int().default(0),
  output_tokens: z.int().default(0),
  cache_read_input_tokens: z.int().default(0),
  cache_creation_input_tokens: z.int().default(0),
});

const event = z.looseObject({
  type: z.string(),
  subtype: z.string().optional(),
  session_id: z.string().optional(),
  message: z
    .looseObject({
      id: z.string().optional(),
      content: z.array(
        z.looseObject({
          type: z.string(),
          text: z.string().optional(),
          name: z.string().optional(),
          input: z.json().optional(),
        }),
      ),
      usage: usage.optional(),
    })
    .optional(),
  result: z.string().optional(),
  is_error: z.boolean().optional(),
  total_cost_usd: z.number().optional(),
  usage: usage.optional(),
});

type ClaudeEvent = z.output<typeof event>;

const reading = "Read,Glob,Grep,WebFetch,WebSearch,TodoWrite";
const writing = "Bash,Edit,Write,MultiEdit,NotebookEdit";

/** `claude -p` with lines of JSON. */
export const claudeCode: Program = {
  command: "claude",
  args: ({ model, readOnly, maxSteps, maxCostUsd, session }) => [
    "-p",
    "--output-format",
    "stream-json",
    "--verbose",
    ...option("--resume", session),
    ...option("--model", model),
    ...option("--max-turns", maxSteps),
    ...option("--max-budget-usd", maxCostUsd),
    // Servers of the user's own may have tools that change things.
    ...(readOnly
      ? ["--tools", reading, "--allowedTools", reading, "--disallowedTools", writing, "--strict-mcp-config"]
      : ["--permission-mode", "acceptEdits", "--allowedTools", `${reading},${writing}`]),
  ],
  isMetered: true,
  read: (line) => {
    const told = event.parse(line);
    return {
      session: told.session_id,
      ...(told.type === "result" ? readEnd(told) : readMessage(told)),
    };
  },
};

function readEnd({
  subtype,
  result = "",
  is_error: isError,
  usage: used,
  total_cost_usd: costUsd,
}: ClaudeEvent): ProgramNews {
  const spent = { total: used === undefined ? undefined : toUsage(used), costUsd };
  if (subtype === "error_max_turns") return { ...spent, stoppedBy: "max_steps" };
  if (subtype === "error_max_budget_usd") return { ...spent, stoppedBy: "max_cost_usd" };
  return { ...spent, ...(isError === true ? { error: result || `It failed (${subtype}).` } : { answer: result }) };
}

function readMessage({ type, message }: ClaudeEvent): ProgramNews {
  if (type !== "assistant" || message === undefined) return {};
  const text = message.content.flatMap((part) => (part.type === "text" ? [part.text ?? ""] : [])).join("");
  const use = message.content.find((part) => part.type === "tool_use");
  return {
    ...(text === "" ? {} : { text }),
    tool: use === undefined ? undefined : { name: use.name ?? "", brief: JSON.stringify(use.input ?? {}) },
    // One message is told in several lines.
    step: message.usage === undefined ? undefined : { id: message.id ?? "", ...toUsage(message.usage) },
  };
}

function toUsage(told: z.output<typeof usage>): { input: number; output: number; cached: number } {
  const cached = told.cache_read_input_tokens;
  const input = told.input_tokens + cached + told.cache_creation_input_tokens;
  return { input, output: told.output_tokens, cached };
}
