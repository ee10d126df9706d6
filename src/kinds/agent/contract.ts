import { z } from "zod";
import { defineContract } from "../../job/contract.ts";
import { jsonSchema } from "../../job/json.ts";
import { tokenUsageSchema } from "./model/token-usage.ts";

const text = z.string().max(500_000);
const modelName = z.string().trim().min(1).max(200);

const agentInputSchema = z.strictObject({
  task: text.trim().min(1, "expected a task, not an empty text").describe("What to do."),
  context: text.optional().describe("What it should know."),
  output: text.optional().describe("What the answer should be."),
  files: z.array(z.string().min(1).max(4_000)).max(100).optional().describe("Paths to begin with."),
  read_only: z.boolean().optional().describe("Change nothing."),
  ask: z
    .enum(["writes", "commands", "all"])
    .optional()
    .describe("Ask before files are changed, before commands are run, or before anything is changed."),
  model: modelName.optional().describe("PROVIDER/MODEL, a name, or a class: standard, reasoning, code, mini…"),
  fallback: z.array(modelName).max(10).optional().describe("Models to try when the chosen one does not answer."),
  backend: z
    .enum(["claude-code", "codex", "opencode", "gemini"])
    .optional()
    .describe("An installed agent program that does the work."),
  cwd: z.string().min(1).optional().describe("Working folder, absolute."),
  max_steps: z.int().min(1).max(10_000).optional().describe("Replies of the model; ends with what it has by then."),
  max_tokens: z.int().min(1).optional().describe("Read and written, in all steps; ends with what it has by then."),
  max_cost_usd: z.number().positive().optional(),
  depth: z.int().min(0).max(9).optional().describe("Agents above this one that have handed on a part of their task."),
  output_schema: z.record(z.string(), jsonSchema).optional().describe("JSON Schema of the result."),
});

export type AgentInput = z.output<typeof agentInputSchema>;

/** The models that are asked for, in the order in which they are tried. */
export function modelsOf({ model, fallback = [] }: Pick<AgentInput, "model" | "fallback">): string[] {
  return model === undefined ? fallback : [model, ...fallback];
}

const agentResultSchema = z.object({
  output: z.string(),
  /** What fits the output schema, if one was given. */
  data: jsonSchema.optional(),
  model: z.string(),
  steps: z.int(),
  tool_calls: z.int(),
  tokens: tokenUsageSchema,
  /** US dollars; absent where no price is known. */
  cost_usd: z.number().optional(),
  /** Why it ended before it was done. */
  stopped_by: z.enum(["max_steps", "max_tokens", "max_cost_usd"]).optional(),
});

export type AgentResult = z.output<typeof agentResultSchema>;

/** What came of asking a model for one word. */
export const modelCheckSchema = z.object({
  model: z.string(),
  classes: z.array(z.string()).describe("The classes that lead to it."),
  ok: z.boolean(),
  ms: z.int(),
  error: z.string().optional(),
});

export type ModelCheck = z.output<typeof modelCheckSchema>;

export const agentContract = defineContract({
  name: "agent",
  input: agentInputSchema,
  result: agentResultSchema,
  summaryOf: ({ task }) => task,
  verbs: [
    {
      name: "run_agent",
      description:
        "Let an AI agent work on a task with tools. It goes on whatever happens to the caller or the server.",
      path: "/v1/agents",
      input: agentInputSchema,
      tool: {
        description: "Run an AI agent as a background job: a model works on a task with files, commands and the web.",
        fields: ["task", "context", "files", "read_only", "model", "cwd", "max_cost_usd", "output_schema"],
      },
    },
  ],
});
