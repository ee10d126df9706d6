import type { McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";
import { toFullToolSchema } from "../mcp/tools/tool-schema.ts";

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
    models.length === 1
      ? `Call run_task once, with model ${quote(models)} and read_only ${isReadOnly}; it returns a task_id.`
      : `Call run_task once, with model [${quote(models)}] and read_only ${isReadOnly}; it starts them all and returns a batch_id.`,
  waitAny:
    "Wait for the next answer with wait_for_task and the batch_id (or the task_id), or look with list_tasks; one that asks is answered with answer_task.",
  waitAll: "Wait for all of them with wait_for_task, the batch_id and return_all true. One that fails can be left out.",
  cancel: "cancel_task",
  status: "Follow it with check_task_status and wait_for_task; if it asks, answer with answer_task.",
};

const named: readonly [provider: string, model: string][] = [
  ["openai", "gpt-5"],
  ["xai", "grok-4"],
  ["google", "gemini-2.5-pro"],
];

interface AgentPrompt {
  readonly name: string;
  readonly description: string;
  /** What it is about: listed as required, because it is better given than guessed. */
  readonly subject: { readonly name: string; readonly description: string; readonly fallback: string };
  /** Said of the messages that it returns. */
  readonly strategy: string;
  readonly say: (subject: string, models: PromptModels, words: PromptWords) => readonly string[];
}

interface PromptModels {
  /** The strong ones that there are keys for. */
  readonly strong: readonly string[];
  readonly coder: string;
}

const knowsNothing = "They know nothing of our conversation:";

const prompts: readonly AgentPrompt[] = [
  {
    name: "solve",
    description: "Solve a complicated problem with several state-of-the-art LLMs at once",
    subject: {
      name: "problem",
      description: "The problem to solve",
      fallback: "Find out from our conversation what problem needs solving.",
    },
    strategy: "Solving a problem with several models",
    say: (problem, { strong }, words) => [
      "Solve a complicated problem by letting several state-of-the-art LLMs work on it at once.",
      `1. Research the background. ${words.ask([...strong, "reasoning"], true)} ${knowsNothing} describe the problem in full, with what was tried, the errors word for word, and every file that matters.`,
      `2. ${words.waitAny}`,
      "3. As soon as one has answered, try what it proposes, and test it: run the tests, check the output, the edge cases and that no errors occur. If it fails or works only in part, ask the same model again with what happened, and meanwhile try the next answer.",
      `4. Let the others go on until a complete solution is in place, tested, and the problem is solved beyond doubt. Only then end them with ${words.cancel}; never while anything is unfinished, untested or unsure.`,
      `Problem to solve:\n${problem}`,
    ],
  },
  {
    name: "plan",
    description: "Create a comprehensive plan with several state-of-the-art LLMs working in parallel",
    subject: {
      name: "task",
      description: "The task to plan",
      fallback: "Find out from our conversation what needs planning.",
    },
    strategy: "Planning with several models",
    say: (task, { strong }, words) => [
      "Create a comprehensive plan by letting several state-of-the-art LLMs plan in parallel.",
      `1. Look at the code first. ${words.ask(strong.length === 0 ? ["reasoning"] : strong, true)} ${knowsNothing} describe the task and its context in full, outline the folders, include one or two key files and let them read the rest, and ask for a plan in steps with its risks.`,
      `2. ${strong.length > 1 ? words.waitAll : words.waitAny}`,
      "3. Compare the plans: what they have in common, what each does best.",
      "4. Write one plan from the best parts of all, in clear steps with their reasons.",
      `Task to plan:\n${task}`,
    ],
  },
  {
    name: "code",
    description: "Generate or modify code with a state-of-the-art coding LLM",
    subject: {
      name: "task",
      description: "The coding task to perform",
      fallback: "Find out from our conversation what is to be coded.",
    },
    strategy: "Coding with a model that may change files",
    say: (task, { coder }, words) => [
      "Have code generated or modified by a state-of-the-art coding LLM.",
      `1. Look at the code first. ${words.ask([coder], false)} It knows nothing of our conversation: describe the task and its context in full, say where to look and how to tell that it works, and include one or two key files. It may read, create and change files, run commands and tests, and install what it needs.`,
      `2. ${words.status}`,
      "3. When it has ended, look at the changes and test them.",
      `Coding task to perform:\n${task}`,
    ],
  },
];

const extra = {
  context: z.string().optional().describe("What is known already"),
  files: z.string().optional().describe("Paths of files that matter, separated by commas"),
};

/** The prompts solve, plan and code. They name the models that there are keys for. */
export function registerAgentPrompts(mcp: McpServer, providers: readonly string[], words: PromptWords): void {
  const strong = named.filter(([provider]) => providers.includes(provider)).map(([, model]) => model);
  const models = { strong, coder: providers.includes("openai") ? "gpt-5" : "code" };
  for (const { name, description, subject, strategy, say } of prompts) {
    const listed = z.object({ [subject.name]: z.string().describe(subject.description), ...extra });
    mcp.registerPrompt(name, { description, argsSchema: toFullToolSchema(listed) }, (given) => {
      const about = textOf(given[subject.name]) ?? subject.fallback;
      const lines = [...more(given), ...say(about, models, words)];
      return {
        description: strategy,
        messages: [{ role: "user", content: { type: "text", text: lines.join("\n\n") } }],
      };
    });
  }
}

function more(given: Readonly<Record<string, unknown>>): string[] {
  const [context, files] = [textOf(given["context"]), textOf(given["files"])];
  return [
    ...(context === undefined ? [] : [`Context: ${context}`]),
    ...(files === undefined ? [] : [`Files: ${files}`]),
  ];
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function quote(models: readonly string[]): string {
  return models.map((model) => JSON.stringify(model)).join(", ");
}
