import type { Json } from "../../job/json.ts";
import type { JobContext } from "../../job/kind.ts";
import type { Activity } from "./activity.ts";
import type { Conversation } from "./conversation.ts";
import type { AgentInput, AgentResult } from "./contract.ts";
import { totalTokens } from "./model/token-usage.ts";
import type { RunRedactor } from "./run-redactor.ts";

/** What others may see of a run, and ask it, while it runs. */
export function serveRun(
  context: JobContext,
  conversation: Conversation,
  parts: { model: () => string; redactor: RunRedactor; summarize: () => Promise<string>; activity: Activity },
): void {
  const { model, redactor, summarize, activity } = parts;
  context.serve({
    inspect: async () => ({
      model: model(),
      ...toLive(activity),
      steps: conversation.steps,
      tool_calls: conversation.toolCalls,
      tokens: totalTokens(conversation.usage),
      ...toCost(conversation),
      todos: conversation.todos.items.map(({ content, status }) => redactor.text(`${status}: ${content}`)),
    }),
    summarize,
  });
}

function toLive(activity: Activity): Record<string, Json> {
  const { pieces, piecesAt } = activity.live();
  return { pieces, pieces_at: [...piecesAt], last_output_at: piecesAt.at(-1) ?? null };
}

/** Which limit keeps a run from another step. */
export function limitReached(
  { steps, usage, costUsd }: Conversation,
  limits: Pick<AgentInput, "max_tokens" | "max_cost_usd" | "max_steps">,
): AgentResult["stopped_by"] {
  if (totalTokens(usage) >= (limits.max_tokens ?? Infinity)) return "max_tokens";
  if ((costUsd ?? 0) >= (limits.max_cost_usd ?? Infinity)) return "max_cost_usd";
  return steps >= (limits.max_steps ?? Infinity) ? "max_steps" : undefined;
}

const longestOutput = 1_000_000;

export function toResult(
  conversation: Conversation,
  { model, redactor }: { model: string; redactor: RunRedactor },
  { data, stopped_by: stoppedBy }: Pick<AgentResult, "data" | "stopped_by">,
): AgentResult {
  const { lastText } = conversation;
  const text = lastText === "" && data !== undefined ? JSON.stringify(data) : lastText;
  return {
    output: redactor.known(text).slice(0, longestOutput),
    model,
    steps: conversation.steps,
    tool_calls: conversation.toolCalls,
    tokens: conversation.usage,
    ...toCost(conversation),
    data: data === undefined ? undefined : redactor.json(data),
    stopped_by: stoppedBy,
  };
}

function toCost({ costUsd }: Conversation): { cost_usd?: number } {
  return costUsd === null ? {} : { cost_usd: roundDollars(costUsd) };
}

export function roundDollars(dollars: number): number {
  return Math.round(dollars * 1_000_000) / 1_000_000;
}
