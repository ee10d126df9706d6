import type { Job } from "../../../job/job.ts";
import { isHeld, isTerminal } from "../../../job/state.ts";
import type { CallContext } from "../profile.ts";
import { findTask, listTasks, oneTarget, type Arguments, type TaskReply } from "./task-reference.ts";

const reason = "cancelled by its client";
/** A task has ended when its command has, and not every command ends at once. */
const patienceMs = 30_000;

/** Cancels a task or all of a batch, and answers when they have ended. What was cancelled before is not counted again. */
export async function cancelTask(context: CallContext, args: Arguments): Promise<TaskReply> {
  const target = oneTarget(args);
  return "taskId" in target ? cancelOne(target.taskId, context, args) : cancelBatch(target.batchId, context);
}

async function cancelOne(id: string, context: CallContext, args: Arguments): Promise<string> {
  const job = await findTask(args, context).catch(() => undefined);
  if (job === undefined || isTerminal(job.state)) return `Could not cancel task ${id} (may be already completed)`;
  const [ended] = await cancelAll([job], context);
  if (ended?.state.status === "cancelled") return `Task ${id} cancelled successfully`;
  if (ended !== undefined && !isTerminal(ended.state)) return `Task ${id} is being cancelled and has not ended yet`;
  return `Could not cancel task ${id} (may be already completed)`;
}

async function cancelBatch(batchId: string, context: CallContext): Promise<TaskReply> {
  const jobs = await listTasks(batchId, context);
  if (jobs.length === 0) return `No tasks found with batch_id: ${batchId}`;
  const fresh = jobs.filter(({ state }) => !isTerminal(state) && !(isHeld(state) && state.cancelRequest !== undefined));
  const after = await cancelAll(fresh, context);
  const cancelled = after.filter(({ state }) => state.status === "cancelled").length;
  const ending = after.filter(({ state }) => !isTerminal(state)).length;
  return {
    batch_id: batchId,
    total_tasks: jobs.length,
    cancelled,
    already_complete: jobs.length - cancelled - ending,
    ...(ending === 0 ? {} : { still_ending: ending }),
    message: `Cancelled ${cancelled} tasks from batch ${batchId}`,
  };
}

async function cancelAll(jobs: readonly Job[], { engine, actor, signal }: CallContext): Promise<readonly Job[]> {
  if (jobs.length === 0) return [];
  await Promise.all(jobs.map(({ id }) => engine.cancel(id, reason, actor)));
  const ids = jobs.map(({ id }) => id);
  return (await engine.wait(ids, { timeoutMs: patienceMs, ...actor, signal })).jobs;
}
