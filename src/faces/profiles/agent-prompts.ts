import type { McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";

/** What the calls are named that a prompt speaks of: the profiles have different tools for the same. */
export interface PromptWords {
  readonly ask: (models: readonly string[], isReadOnly: boolean) => string;
  readonly waitAny: string;
  readonly waitAll: string;
  readonly cancel: string;
  readonly status: string;
}

export const coreWords: PromptWords = {
  ask: (models, isReadOnly) =>
    models.length === 1
      ? `Call run_agent with model ${quote(models)}, read_only ${isReadOnly}.`
      : `Call run_agent once for each of the models ${quote(models)}, each with read_only ${isReadOnly} and wait_s 0, and keep their job ids.`,
  waitAny: 'Wait for the first with job_wait (ids of all of them, "for": "any"); job_list shows them all.',
  waitAll: "Wait for all of them with job_wait.",
  cancel: "job_cancel",
  status: "Follow it with job_wait, and look at it with job_get and job_output.",
};

export const taskWords: PromptWords = {
  ask: (models, isReadOnly) =>
    `Call run_task once, with model ${models.length === 1 ? quote(models) : `[${quote(models)}]`} and read_only ${isReadOnly}.`,
  waitAny: "Wait for the first answer with wait_for_task and the batch_id; list_tasks shows them all.",
  waitAll: "Wait for all of them with wait_for_task, the batch_id and return_all true.",
  cancel: "cancel_task",
  status: "Follow it with check_task_status and wait_for_task.",
};

const named: readonly [provider: string, model: string][] = [
  ["openai", "gpt-5"],
  ["xai", "grok-4"],
  ["google", "gemini-2.5-pro"],
];

const workItOut = "Work it out from our conversation.";

/** The prompts solve, plan and code. They name the models that there are keys for. */
export function registerAgentPrompts(mcp: McpServer, providers: readonly string[], words: PromptWords): void {
  const strong = named.filter(([provider]) => providers.includes(provider)).map(([, model]) => model);
  const coder = providers.includes("openai") ? "gpt-5" : "code";
  const extra = {
    context: z.string().optional().describe("What is known already."),
    files: z.string().optional().describe("Paths of files that matter, separated by commas."),
  };
  mcp.registerPrompt(
    "solve",
    {
      description: "Solve a hard problem by asking several models at once and testing what they say",
      argsSchema: z.object({ problem: z.string().optional().describe("The problem to solve."), ...extra }),
    },
    ({ problem, ...given }) =>
      say([
        `Solve this problem: ${problem ?? workItOut}`,
        ...more(given),
        `1. ${words.ask([...strong, "reasoning"], true)} They know nothing of our conversation: give them all the context, what was tried, the errors word for word, and the files that matter.`,
        `2. ${words.waitAny}`,
        "3. Try the first answer at once, and test it. If it fails, ask again with what happened, and meanwhile try the next answer.",
        `4. Only when a solution is verified in full, end the others with ${words.cancel}.`,
      ]),
  );
  mcp.registerPrompt(
    "plan",
    {
      description: "Make a plan by asking several models at once and merging the best of what they say",
      argsSchema: z.object({ task: z.string().optional().describe("What to plan."), ...extra }),
    },
    ({ task, ...given }) =>
      say([
        `Make a plan for this: ${task ?? workItOut}`,
        ...more(given),
        `1. ${words.ask([...strong, "reasoning"], true)} They know nothing of our conversation: give them all the context and the files that matter, and ask for a plan in steps with its risks.`,
        `2. ${words.waitAll}`,
        "3. Compare the plans, take the best parts of each, and write one plan.",
      ]),
  );
  mcp.registerPrompt(
    "code",
    {
      description: "Let a coding model carry out a task in the working folder",
      argsSchema: z.object({ task: z.string().optional().describe("What to build or change."), ...extra }),
    },
    ({ task, ...given }) =>
      say([
        `Have this done: ${task ?? workItOut}`,
        ...more(given),
        `1. ${words.ask([coder], false)} It knows nothing of our conversation: say exactly what is to be changed and how to tell that it works.`,
        `2. ${words.status}`,
        "3. When it has ended, look at the changes and test them.",
      ]),
  );
}

type PromptAnswer = { messages: { role: "user"; content: { type: "text"; text: string } }[] };

function say(lines: readonly string[]): PromptAnswer {
  return { messages: [{ role: "user", content: { type: "text", text: lines.join("\n") } }] };
}

function more({ context, files }: { context?: string; files?: string }): string[] {
  return [
    ...(context === undefined ? [] : [`Context: ${context}`]),
    ...(files === undefined ? [] : [`Files: ${files}`]),
  ];
}

function quote(models: readonly string[]): string {
  return models.map((model) => JSON.stringify(model)).join(", ");
}
