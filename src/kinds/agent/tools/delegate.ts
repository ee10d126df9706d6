import { z } from "zod";
import { LonghaulError } from "../../../job/error.ts";
import { sayStatus } from "../../../job/status-words.ts";
import type { AgentInput, AgentResult } from "../contract.ts";
import { totalTokens, type TokenUsage } from "../model/token-usage.ts";
import { defineTool, type AgentTool } from "./agent-tool.ts";

/** An agent's agents may have agents of their own, and those may not. */
const maxDepth = 2;
const maxDelegates = 20;

/** What the agents that an agent has started came to; part of its checkpoint. */
export interface Delegates {
  count: number;
}

interface DelegateParts {
  readonly input: AgentInput;
  /** What was used up so far. */
  readonly used: () => { readonly usage: TokenUsage; readonly costUsd: number | null };
  /** Takes what a delegate has used up: it counts as the agent's own. */
  readonly spend: (usage: TokenUsage, costUsd: number | undefined) => void;
}

const delegateInput = z.object({
  task: z.string().min(1).max(100_000).describe("What to do, with all that it has to know: it sees nothing of yours."),
  read_only: z.boolean().default(false).describe("It may change nothing; several such run at once."),
  model: z.string().min(1).max(200).optional().describe("A model or a class, such as mini; yours unless given."),
  max_steps: z.int().min(1).max(1_000).optional(),
});

/** Hands a part of the task to an agent with a conversation of its own: a child job, found again after a restart. */
export function createDelegateTools({ input, used, spend }: DelegateParts): AgentTool[] {
  const depth = input.depth ?? 0;
  if (depth >= maxDepth) return [];
  const delegate = defineTool({
    name: "delegate",
    description:
      "Let another agent do a part of the task, in the same folder and with a context of its own, and get its answer. For parts that take much reading, or that can be done side by side.",
    input: delegateInput,
    isReader: (wanted) => input.read_only === true || wanted.read_only,
    brief: ({ task }) => task,
    run: async ({ task, read_only: readOnly, model, max_steps: maxSteps }, { job, files, key, delegates }) => {
      if (delegates.count >= maxDelegates) {
        throw new LonghaulError(
          "conflict",
          `At most ${maxDelegates} parts can be handed to others: do the rest yourself.`,
        );
      }
      delegates.count += 1;
      const child: AgentInput = {
        task,
        cwd: files.root,
        depth: depth + 1,
        ...(input.ask === undefined ? {} : { ask: input.ask }),
        ...(readOnly || input.read_only === true ? { read_only: true } : {}),
        ...(model === undefined ? ownModel(input) : { model }),
        ...(maxSteps === undefined ? {} : { max_steps: maxSteps }),
        ...limitsLeft(input, used()),
      };
      const { status, failure, result } = await job.childEnd(await job.spawn({ kind: "agent", input: child, key }));
      if (status !== "succeeded") {
        throw new LonghaulError("conflict", failure?.message ?? `The other agent's job ${sayStatus(status)}.`);
      }
      const { output, tokens, cost_usd: costUsd, stopped_by: stoppedBy } = result as unknown as AgentResult;
      spend(tokens, costUsd);
      return stoppedBy === undefined ? output : `${output}\n[It was ended by its limit ${stoppedBy}: this is a part.]`;
    },
  });
  return [delegate];
}

function ownModel({ model, fallback }: AgentInput): Pick<AgentInput, "model" | "fallback"> {
  return { ...(model === undefined ? {} : { model }), ...(fallback === undefined ? {} : { fallback }) };
}

/** No more than the agent itself may still use. */
function limitsLeft(
  { max_tokens: maxTokens, max_cost_usd: maxCost }: AgentInput,
  { usage, costUsd }: ReturnType<DelegateParts["used"]>,
): Pick<AgentInput, "max_tokens" | "max_cost_usd"> {
  const tokens = maxTokens === undefined ? undefined : maxTokens - totalTokens(usage);
  const cost = maxCost === undefined ? undefined : maxCost - (costUsd ?? 0);
  if ((tokens ?? 1) <= 0 || (cost ?? 1) <= 0) {
    throw new LonghaulError("conflict", "The limit of this task on tokens or cost is reached.");
  }
  return {
    ...(tokens === undefined ? {} : { max_tokens: tokens }),
    ...(cost === undefined ? {} : { max_cost_usd: cost }),
  };
}
