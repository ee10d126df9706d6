import type { ToolAnnotations } from "@modelcontextprotocol/server";
import { z } from "zod";
import { LonghaulError } from "../../../job/error.ts";
import { isTerminal } from "../../../job/state.ts";
import { defineTool, type Tool } from "../profile.ts";
import { cancelTask } from "./cancel-task.ts";
import { checkTask } from "./check-task.ts";
import { listAll } from "./list-tasks.ts";
import { classNames, runTask } from "./run-task.ts";
import { answerOptions, answerTask } from "./task-question.ts";
import { findTask, type TaskReply } from "./task-reference.ts";
import { readOutput, taskStatuses, toTaskStatus } from "./task-view.ts";
import { waitForTask } from "./wait-for-task.ts";

/** The title is where the clients of mcp-task look for it, too. */
const titled = (
  title: string,
  [isReader, isDestructive, isIdempotent, isOpen]: readonly [boolean, boolean, boolean, boolean],
): { title: string; annotations: ToolAnnotations } => ({
  title,
  annotations: {
    title,
    readOnlyHint: isReader,
    destructiveHint: isDestructive,
    idempotentHint: isIdempotent,
    openWorldHint: isOpen,
  },
});

/** Shown, not enforced: any other text is a model's name. */
const shownModels = z.enum([...classNames, "gpt-5", "grok-4", "gemini-2.5-pro", "claude-opus-4-1"]);
const byId = { task_id: z.string().describe("The task ID that run_task returned") };
const byEither = (verb: string): { task_id: z.ZodOptional; batch_id: z.ZodOptional } => ({
  task_id: z.string().optional().describe(`The task to ${verb} (required unless batch_id is given)`),
  batch_id: z.string().optional().describe(`The batch to ${verb} (required unless task_id is given)`),
});

/** What of the arguments is checked; the rest is refused in words of its own. */
const anything = z.looseObject({});
const runOptions = z.looseObject({ read_only: z.boolean().optional() });
const statusOptions = z.looseObject({
  summary: z.boolean().default(false).describe("Let a model sum up the progress, which costs tokens (default: false)"),
});
const waitOptions = z.looseObject({
  timeout_seconds: z.number().default(300),
  return_all: z.boolean().default(false).describe("With batch_id: wait for all tasks of it (default: false)"),
});
const listOptions = z.looseObject({
  recent_only: z.boolean().default(false).describe("Optional: Only tasks of the last 2 hours (default: false)"),
});

export const taskTools: readonly Tool<TaskReply>[] = [
  defineTool({
    name: "run_task",
    ...titled("Run AI Task", [false, false, false, true]),
    description:
      "Start a complex AI task in the background: advanced reasoning, research, analysis or coding by a state of the art LLM with tools. Returns a task ID at once; with an array of models, a batch ID and one task for each. Check status and results with it.",
    listedInput: z.object({
      model: z
        .union([
          shownModels.describe(`A model class (${classNames.join(", ")}) or the name of a model`),
          z.array(shownModels).describe("Model classes or names, for one task each"),
        ])
        .optional()
        .describe("Optional: One model, or an array of models for a batch. 'standard' if not given."),
      task: z.string().describe("The task prompt: what to do (required)"),
      context: z.string().optional().describe("Optional: Background that the task needs"),
      output: z.string().optional().describe("Optional: The desired output, or what counts as success"),
      files: z.array(z.string()).optional().describe("Optional: Paths of files to include in the context"),
      read_only: z
        .boolean()
        .default(false)
        .describe("Optional: When true, there are no tools that change files, run commands or change anything else."),
      cwd: z.string().optional().describe("Optional: The working folder, absolute"),
      max_steps: z.number().optional().describe("Optional: End with what it has after so many replies of the model"),
      max_tokens: z.number().optional().describe("Optional: End with what it has after so many tokens"),
      max_cost_usd: z.number().optional().describe("Optional: End with what it has after so many dollars"),
    }),
    input: runOptions,
    run: runTask,
  }),
  defineTool({
    name: "check_task_status",
    ...titled("Check Task Status", [true, false, false, false]),
    description:
      "Check the status of a task: its state, progress, recent events, questions, and the output if there is any.",
    listedInput: z.object({ ...byId, ...statusOptions.shape }),
    input: statusOptions,
    run: checkTask,
  }),
  defineTool({
    name: "get_task_result",
    ...titled("Get Task Result", [true, false, false, false]),
    description: "Get the final result of a task that has ended.",
    listedInput: z.object(byId),
    input: anything,
    run: async (context, args) => {
      const job = await findTask(args, context);
      if (!isTerminal(job.state)) {
        const id = typeof args["task_id"] === "string" ? args["task_id"] : job.id;
        throw new LonghaulError("conflict", `Task ${id} is not complete. Status: ${toTaskStatus(job)}`);
      }
      return (await readOutput(job, context)) || "No output available";
    },
  }),
  defineTool({
    name: "cancel_task",
    ...titled("Cancel Task", [false, true, true, false]),
    description: "Cancel a task that is pending or running, or all such tasks of a batch.",
    listedInput: z.object(byEither("cancel")),
    input: anything,
    run: cancelTask,
  }),
  defineTool({
    name: "wait_for_task",
    ...titled("Wait For Task Completion", [true, false, true, false]),
    description:
      "Wait until a task, or the next task of a batch, completes, fails, is cancelled or asks a question. In a batch, tasks that ended before this call do not count, unless all have.",
    listedInput: z.object({
      ...byEither("wait for"),
      ...waitOptions.shape,
      timeout_seconds: z.number().max(600).default(300).describe("Seconds to wait at most (default: 300, max: 600)"),
    }),
    input: waitOptions,
    run: waitForTask,
  }),
  defineTool({
    name: "list_tasks",
    ...titled("List All Tasks", [true, false, false, false]),
    description: "List all tasks with their status.",
    listedInput: z.object({
      status_filter: z.enum(taskStatuses).optional().describe("Optional: Only tasks with this status"),
      batch_id: z.string().optional().describe("Optional: Only tasks of this batch"),
      ...listOptions.shape,
    }),
    input: listOptions,
    run: listAll,
  }),
  defineTool({
    name: "answer_task",
    ...titled("Answer Task", [false, false, false, false]),
    description: "Answer the question that a task asks: check_task_status and wait_for_task show it.",
    listedInput: z.object({ ...byId, ...answerOptions.shape }),
    input: answerOptions,
    isOnceOnly: true,
    run: answerTask,
  }),
];
