import type { ToolAnnotations } from "@modelcontextprotocol/server";
import { z } from "zod";
import { LonghaulError } from "../../../job/error.ts";
import { isHeld, isTerminal } from "../../../job/state.ts";
import { defineTool, type CallContext, type Tool } from "../profile.ts";
import { runTask } from "./run-task.ts";
import { findTask, listTasks, oneTarget, type Arguments } from "./task-reference.ts";
import {
  checkAfterSeconds,
  completedAt,
  progressOf,
  readActivity,
  readInput,
  readOutput,
  taskStatuses,
  toTaskStatus,
  warningOf,
} from "./task-view.ts";
import { waitForTask } from "./wait-for-task.ts";

/** A text is answered as it is, anything else as JSON. */
export type TaskReply = string | Record<string, unknown>;

const hints = (isReader: boolean, isDestructive: boolean, isIdempotent: boolean, isOpen = false): ToolAnnotations => ({
  readOnlyHint: isReader,
  destructiveHint: isDestructive,
  idempotentHint: isIdempotent,
  openWorldHint: isOpen,
});

/** Shown, not enforced: any other text is a model's name. */
const shownModels = z.enum([
  ...(["reasoning", "vision", "standard", "mini", "reasoning_mini", "code", "writing"] as const),
  ...(["summary", "vision_mini", "long", "gpt-5", "grok-4", "gemini-2.5-pro", "claude-opus-4-1"] as const),
]);
const byId = { task_id: z.string().describe("The task's id.") };
const byEither = {
  task_id: z.string().optional().describe("One task; or give batch_id."),
  batch_id: z.string().optional().describe("All tasks of a batch."),
};

/** What of the arguments is checked; the rest is refused in words of its own. */
const anything = z.looseObject({});
const runOptions = z.looseObject({ read_only: z.boolean().default(false).describe("Change nothing.") });
const statusOptions = z.looseObject({
  summary: z.boolean().default(false).describe("Let a model sum up the progress; costs tokens."),
});
const waitOptions = z.looseObject({
  timeout_seconds: z.number().default(300).describe("At most 600."),
  return_all: z.boolean().default(false).describe("Wait for every task of the batch."),
});
const listOptions = z.looseObject({
  recent_only: z.boolean().default(false).describe("Only those of the last two hours."),
});

const recentMs = 2 * 3_600_000;
const longestTask = 100;

export const taskTools: readonly Tool<TaskReply>[] = [
  defineTool({
    name: "run_task",
    title: "Run AI Task",
    description:
      "Run a long AI task in the background. Answers at once with a task_id; several models (with read_only) run side by side under a batch_id.",
    listedInput: z.object({
      task: z.string().describe("What to do."),
      model: z
        .union([shownModels, z.array(shownModels)])
        .optional()
        .describe("A class, a model's name, or a list of them: one task for each."),
      context: z.string().optional().describe("What it should know."),
      output: z.string().optional().describe("What the result should be."),
      files: z.array(z.string()).optional().describe("Paths of files to begin with."),
      ...runOptions.shape,
      cwd: z.string().optional().describe("Working folder, absolute."),
    }),
    input: runOptions,
    annotations: hints(false, false, false, true),
    run: runTask,
  }),
  defineTool({
    name: "check_task_status",
    title: "Check Task Status",
    description: "Look at a task: status, progress, tool calls, and when to look again.",
    listedInput: z.object({ ...byId, ...statusOptions.shape }),
    input: statusOptions,
    annotations: hints(true, false, false),
    run: checkStatus,
  }),
  defineTool({
    name: "get_task_result",
    title: "Get Task Result",
    description: "Read the result of a task that is complete.",
    listedInput: z.object(byId),
    input: anything,
    annotations: hints(true, false, false),
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
    title: "Cancel Task",
    description: "End a task, or all tasks of a batch.",
    listedInput: z.object(byEither),
    input: anything,
    annotations: hints(false, true, true),
    run: cancelTask,
  }),
  defineTool({
    name: "wait_for_task",
    title: "Wait for Task",
    description: "Wait for a task; in a batch for the next that ends, or with return_all for all.",
    listedInput: z.object({ ...byEither, ...waitOptions.shape }),
    input: waitOptions,
    annotations: hints(true, false, true),
    run: waitForTask,
  }),
  defineTool({
    name: "list_tasks",
    title: "List Tasks",
    description: "List tasks with their status.",
    listedInput: z.object({
      status_filter: z.enum(taskStatuses).optional(),
      batch_id: z.string().optional(),
      ...listOptions.shape,
    }),
    input: listOptions,
    annotations: hints(true, false, false),
    run: listAll,
  }),
];

async function checkStatus(access: CallContext, args: Arguments): Promise<Record<string, unknown>> {
  const job = await findTask(args, access);
  const { state } = job;
  const [input, output, activity] = await Promise.all([
    readInput(job, access),
    readOutput(job, access),
    readActivity(job, access),
  ]);
  const isSummed = args["summary"] === true && isHeld(state);
  const now = Date.now();
  const seconds = checkAfterSeconds(job, now);
  const { lastAt: _lastAt, errorCount, lastError, ...told } = activity;
  const startedAt = "startedAt" in state ? state.startedAt : undefined;
  return {
    id: job.id,
    status: toTaskStatus(job),
    model: input.model,
    readOnly: input.readOnly,
    createdAt: new Date(job.createdAt).toISOString(),
    startedAt: startedAt && new Date(startedAt).toISOString(),
    completedAt: completedAt(job),
    output,
    progress: isSummed ? await access.engine.summarize(job.id, access.actor) : progressOf(job),
    ...told,
    check_after: seconds === undefined ? null : `Please wait ${seconds} seconds before checking this task again`,
    check_after_seconds: seconds,
    warning: warningOf(job, activity, now),
    errorCount,
    lastError: "failure" in state ? state.failure.message : lastError,
  };
}

async function cancelTask(access: CallContext, args: Arguments): Promise<TaskReply> {
  const target = oneTarget(args);
  const { engine, actor } = access;
  const reason = "cancelled by its client";
  if ("taskId" in target) {
    const job = await findTask(args, access).catch(() => undefined);
    if (job === undefined || isTerminal(job.state)) {
      return `Task ${target.taskId} could not cancel (may be already completed)`;
    }
    await engine.cancel(job.id, reason, actor);
    return `Task ${target.taskId} cancelled successfully`;
  }
  const { batchId } = target;
  const jobs = await listTasks(batchId, access);
  if (jobs.length === 0) return `No tasks found with batch_id: ${batchId}`;
  const open = jobs.filter(({ state }) => !isTerminal(state));
  await Promise.all(open.map(({ id }) => engine.cancel(id, reason, actor)));
  return {
    batch_id: batchId,
    total_tasks: jobs.length,
    cancelled: open.length,
    already_complete: jobs.length - open.length,
    message: `Cancelled ${open.length} of ${jobs.length} tasks in batch ${batchId}`,
  };
}

async function listAll(access: CallContext, args: Arguments): Promise<Record<string, unknown>> {
  const { batch_id: batch, status_filter: status, recent_only: recent } = args;
  const isRecent = recent === true;
  const jobs = (await listTasks(typeof batch === "string" ? batch : undefined, access))
    .filter((job) => status === undefined || toTaskStatus(job) === status)
    .filter(({ createdAt }) => !isRecent || createdAt > Date.now() - recentMs);
  const counts = taskStatuses.map((name) => [name, jobs.filter((job) => toTaskStatus(job) === name).length]);
  const tasks = await Promise.all(
    jobs.map(async (job) => {
      const { task, model, readOnly } = await readInput(job, access);
      return {
        id: job.id,
        status: toTaskStatus(job),
        task: task.slice(0, longestTask),
        model,
        batchId: job.batch,
        readOnly,
        createdAt: new Date(job.createdAt).toISOString(),
        completedAt: completedAt(job),
      };
    }),
  );
  return {
    stats: { total: jobs.length, ...(Object.fromEntries(counts) as object) },
    tasks,
    filters_applied: { batch_id: batch ?? null, status: status ?? null, recent_only: isRecent },
  };
}
