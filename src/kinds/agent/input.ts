import { z } from "zod";
import { tokenUsageSchema } from "./model/token-usage.ts";
import { programNames } from "./programs/programs.ts";

const text = z.string().max(500_000);
const modelName = z.string().trim().min(1).max(200);

export const agentInputSchema = z.strictObject({
  task: text.trim().min(1, "expected a task, not an empty text"),
  context: text.optional(),
  output: text.optional(),
  files: z.array(z.string().min(1).max(4_000)).max(100).optional(),
  readOnly: z.boolean().default(false),
  models: z.array(modelName).max(20).default([]),
  backend: z.enum(programNames).optional(),
  cwd: z.string().min(1).optional(),
  maxSteps: z.int().min(1).max(10_000).optional(),
  maxTokens: z.int().min(1).optional(),
  maxCostUsd: z.number().positive().optional(),
  outputSchema: z.record(z.string(), z.json()).optional(),
});

/**
 * What to do. `output` says what the answer should be. `models` are names or classes, tried in turn when one does not answer. `backend` is an
 * installed program that does the work instead. What it may use up ends it with what it has by then.
 */
export type AgentInput = z.output<typeof agentInputSchema>;

export const agentResultSchema = z.object({
  output: z.string(),
  /** What fits the output schema, if one was given. */
  data: z.json().optional(),
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
