import { z } from "zod";
import { LonghaulError } from "../../../job/error.ts";
import type { Job } from "../../../job/job.ts";
import { openQuestions } from "../../mcp/tasks/job-to-task.ts";
import type { JobAccess } from "../../mcp/tools/job-tool.ts";
import { toAnswer } from "../core/send-tool.ts";
import type { CallContext } from "../profile.ts";
import { findTask, type Arguments } from "./task-reference.ts";
import { toTaskStatus } from "./task-view.ts";

export interface TaskQuestion {
  readonly question?: string;
  /** The answers to choose from, where not any will do. */
  readonly options?: readonly string[];
}

/** What a task asks; empty for one that asks nothing. */
export async function readQuestion(job: Job, { engine, actor }: JobAccess): Promise<TaskQuestion> {
  if (job.state.status !== "waiting") return {};
  const [asked] = openQuestions(await engine.questions(job.id, actor));
  if (asked === undefined) return {};
  const { message, form } = asked.question;
  const [field] = Object.values(form?.properties ?? {});
  return { question: message, options: field?.enum };
}

export const answerOptions = z.looseObject({ answer: z.string().max(1_000_000).describe("What the task is told.") });

export async function answerTask(
  context: CallContext,
  { answer, ...args }: Arguments & z.output<typeof answerOptions>,
): Promise<Record<string, unknown>> {
  const { engine, actor } = context;
  const job = await findTask(args, context);
  const open = openQuestions(await engine.questions(job.id, actor));
  const [asked] = open;
  const given = toAnswer(answer, open, undefined);
  if (asked === undefined || given === undefined) {
    throw new LonghaulError("conflict", `Task ${job.id} asks no question. Status: ${toTaskStatus(job)}`);
  }
  const now = await engine.answer(job.id, asked.key, given, actor);
  const message = "Answer passed on. Use check_task_status or wait_for_task to monitor progress.";
  return { task_id: job.id, status: toTaskStatus(now), message };
}
