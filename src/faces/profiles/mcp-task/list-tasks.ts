import type { CallContext } from "../profile.ts";
import { listTasks, type Arguments } from "./task-reference.ts";
import { completedAt, readInput, taskStatuses, toTaskStatus } from "./task-view.ts";

const recentMs = 2 * 3_600_000;
const longestTask = 100;

/** Tasks in a line each, and how many of them are in which state. */
export async function listAll(access: CallContext, args: Arguments): Promise<Record<string, unknown>> {
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
