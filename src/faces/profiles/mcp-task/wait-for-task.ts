import { LonghaulError } from "../../../job/error.ts";
import type { Job } from "../../../job/job.ts";
import { isTerminal } from "../../../job/state.ts";
import type { JobAccess } from "../../mcp/tools/job-tool.ts";
import type { CallContext } from "../profile.ts";
import { readQuestion } from "./task-question.ts";
import { findTask, listTasks, oneTarget, type Arguments } from "./task-reference.ts";
import { completedAt, readOutput, toTaskStatus } from "./task-view.ts";

const defaultSeconds = 300;
const maxSeconds = 600;

type Reply = Record<string, unknown>;

/** Waits for a task, or in a batch for the next that ends or for all; a question ends the wait. Time running out is an answer, not an error. */
export async function waitForTask(context: CallContext, args: Arguments): Promise<Reply> {
  const target = oneTarget(args);
  const wanted = Number(args["timeout_seconds"] ?? defaultSeconds);
  const seconds = wanted > 0 ? Math.min(maxSeconds, wanted) : defaultSeconds;
  const startedAt = performance.now();
  const wait = { context, seconds, endsAt: startedAt + seconds * 1_000 };
  const reply =
    "batchId" in target
      ? await waitForBatch(target.batchId, args["return_all"] === true, wait)
      : await waitForOne(target.taskId, args, wait);
  if ("timeout" in reply || "waiting_for_answer" in reply) return reply;
  return { ...reply, wait_time_seconds: Math.round((performance.now() - startedAt) / 1_000) };
}

interface Wait {
  readonly context: CallContext;
  readonly seconds: number;
  /** By the monotonic clock. */
  readonly endsAt: number;
}

async function waitForOne(id: string, args: Arguments, wait: Wait): Promise<Reply> {
  const { context, seconds } = wait;
  const [job] = await waitForNews([await findTask(args, context)], true, wait);
  if (job === undefined) throw new LonghaulError("not_found", `Task ${id} not found`);
  const status = toTaskStatus(job);
  if (isTerminal(job.state)) {
    const { id: _id, ...ended } = await toEnded(job, context);
    return { task_id: job.id, ...ended };
  }
  if (job.state.status === "waiting") return toAsked(job, context);
  return {
    task_id: job.id,
    status,
    timeout: true,
    message: `Timeout after ${seconds} seconds waiting for task ${id}`,
  };
}

async function waitForBatch(batch: string, isAll: boolean, wait: Wait): Promise<Reply> {
  const { context, seconds } = wait;
  const before = await listTasks(batch, context);
  if (before.length === 0) throw new LonghaulError("not_found", `No tasks found with batch_id: ${batch}`);
  const wasOpen = new Set(before.filter(({ state }) => !isTerminal(state)).map(({ id }) => id));
  const tasks = await waitForNews(before, isAll, wait);
  const left = tasks.filter(({ state }) => !isTerminal(state));
  // All have ended: there is nothing to wait for, whatever was asked.
  if (left.length === 0 && (isAll || wasOpen.size === 0)) {
    const ended = await Promise.all(tasks.map((job) => toEnded(job, context)));
    return { batch_id: batch, all_complete: true, tasks: ended };
  }
  const [next] = tasks
    .filter(({ id, state }) => wasOpen.has(id) && isTerminal(state))
    .toSorted((a, b) => endOf(a) - endOf(b));
  if (!isAll && next !== undefined) {
    const { id, ...ended } = await toEnded(next, context);
    const counts = { remaining_tasks: left.length, previously_completed: before.length - wasOpen.size };
    return { batch_id: batch, newly_completed: true, task_id: id, ...ended, ...counts };
  }
  const asking = left.find(({ state }) => state.status === "waiting");
  if (asking !== undefined) return { batch_id: batch, ...(await toAsked(asking, context)) };
  const running = left.filter((job) => toTaskStatus(job) === "running").length;
  return {
    batch_id: batch,
    timeout: true,
    message: `Timeout after ${seconds} seconds`,
    completed_tasks: tasks.length - left.length,
    running_tasks: running,
    pending_tasks: left.length - running,
    total_tasks: tasks.length,
  };
}

/** The tasks as they are when the next of them ends, or all of them, or one asks a question, or the time is up. */
async function waitForNews(jobs: readonly Job[], isAll: boolean, { context, endsAt }: Wait): Promise<Job[]> {
  const { engine, actor, signal } = context;
  const known = new Map(jobs.map((job) => [job.id, job]));
  for (;;) {
    const open = [...known.values()].filter(({ state }) => !isTerminal(state));
    if (open.length === 0) return [...known.values()];
    const timeoutMs = Math.max(0, endsAt - performance.now());
    const ids = open.map(({ id }) => id);
    const news = await engine.wait(ids, { until: "question", for: "any", timeoutMs, ...actor, signal });
    for (const job of news.jobs) known.set(job.id, job);
    const isAsked = news.jobs.some(({ state }) => state.status === "waiting");
    if (!news.isReached || !isAll || isAsked) return [...known.values()];
  }
}

async function toEnded(job: Job, access: JobAccess): Promise<{ id: string } & Reply> {
  const output = await readOutput(job, access);
  return { id: job.id, status: toTaskStatus(job), output, completed_at: completedAt(job) };
}

async function toAsked(job: Job, access: JobAccess): Promise<Reply> {
  return {
    task_id: job.id,
    status: toTaskStatus(job),
    waiting_for_answer: true,
    ...(await readQuestion(job, access)),
    message: "The task asks a question. Give the answer with answer_task, then wait again.",
  };
}

function endOf({ state }: Job): number {
  return isTerminal(state) ? state.finishedAt : Infinity;
}
