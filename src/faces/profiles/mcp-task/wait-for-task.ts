import { LonghaulError } from "../../../job/error.ts";
import type { Job } from "../../../job/job.ts";
import { isTerminal } from "../../../job/state.ts";
import type { JobAccess } from "../../mcp/tools/job-tool.ts";
import type { CallContext } from "../profile.ts";
import { findTask, listTasks, oneTarget, type Arguments } from "./task-reference.ts";
import { completedAt, readOutput, toTaskStatus } from "./task-view.ts";

const defaultSeconds = 300;
const maxSeconds = 600;

/** Waits for a task, or in a batch for the next that ends or for all. Time running out is an answer, not an error. */
export async function waitForTask(context: CallContext, args: Arguments): Promise<Record<string, unknown>> {
  const { engine, actor, signal } = context;
  const target = oneTarget(args);
  const wanted = Number(args["timeout_seconds"] ?? defaultSeconds);
  const seconds = wanted > 0 ? Math.min(maxSeconds, wanted) : defaultSeconds;
  const startedAt = performance.now();
  const wait = async (jobs: readonly Job[], count: "all" | "any"): Promise<readonly Job[]> => {
    const ids = jobs.map(({ id }) => id);
    return (await engine.wait(ids, { for: count, timeoutMs: seconds * 1_000, ...actor, signal })).jobs;
  };
  const waited = (): number => Math.round((performance.now() - startedAt) / 1_000);
  if ("batchId" in target) {
    const isAll = args["return_all"] === true;
    const answer = await waitForBatch(target.batchId, isAll, { wait, seconds, access: context });
    return "timeout" in answer ? answer : { ...answer, wait_time_seconds: waited() };
  }
  const [job] = await wait([await findTask(args, context)], "all");
  if (job === undefined) throw new LonghaulError("not_found", `Task ${target.taskId} not found`);
  const status = toTaskStatus(job);
  if (!isTerminal(job.state)) {
    const message = `Timeout reached after ${seconds} seconds. Task is still ${status}.`;
    return { task_id: job.id, status, timeout: true, message };
  }
  const { id: _id, ...ended } = await toEnded(job, context);
  return { task_id: job.id, ...ended, wait_time_seconds: waited() };
}

interface BatchWait {
  readonly wait: (jobs: readonly Job[], count: "all" | "any") => Promise<readonly Job[]>;
  readonly seconds: number;
  readonly access: JobAccess;
}

async function waitForBatch(batch: string, isAll: boolean, parts: BatchWait): Promise<Record<string, unknown>> {
  const before = await listTasks(batch, parts.access);
  if (before.length === 0) throw new LonghaulError("not_found", `No tasks found with batch_id: ${batch}`);
  const open = before.filter(({ state }) => !isTerminal(state));
  // All have ended: there is nothing to wait for, whatever was asked.
  const waited = open.length === 0 ? [] : await parts.wait(open, isAll ? "all" : "any");
  const known = new Map([...before, ...waited].map((job) => [job.id, job]));
  const tasks = [...known.values()];
  const left = tasks.filter(({ state }) => !isTerminal(state));
  if (left.length === 0 && (isAll || open.length === 0)) {
    const ended = await Promise.all(tasks.map((job) => toEnded(job, parts.access)));
    return { batch_id: batch, all_complete: true, tasks: ended };
  }
  const [next] = waited.filter(({ state }) => isTerminal(state)).toSorted((a, b) => endOf(a) - endOf(b));
  if (!isAll && next !== undefined) {
    const { id, ...ended } = await toEnded(next, parts.access);
    const counts = { remaining_tasks: left.length, previously_completed: before.length - open.length };
    return { batch_id: batch, newly_completed: true, task_id: id, ...ended, ...counts };
  }
  const running = left.filter((job) => toTaskStatus(job) === "running").length;
  return {
    batch_id: batch,
    timeout: true,
    message: `Timeout reached after ${parts.seconds} seconds. ${left.length} of ${tasks.length} tasks go on.`,
    completed_tasks: tasks.length - left.length,
    running_tasks: running,
    pending_tasks: left.length - running,
    total_tasks: tasks.length,
  };
}

async function toEnded(job: Job, access: JobAccess): Promise<{ id: string } & Record<string, unknown>> {
  const output = await readOutput(job, access);
  return { id: job.id, status: toTaskStatus(job), output, completed_at: completedAt(job) };
}

function endOf({ state }: Job): number {
  return isTerminal(state) ? state.finishedAt : Infinity;
}
