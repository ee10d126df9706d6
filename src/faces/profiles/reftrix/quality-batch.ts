import { defined } from "../../../job/defined.ts";
import type { Job } from "../../../job/job.ts";
import { isTerminal } from "../../../job/state.ts";
import type { OperationContext } from "../../../operations/operation.ts";
import { errorOfJob } from "./error-codes.ts";
import { findPage } from "./page-jobs.ts";

type View = Record<string, unknown>;

/** Marks the jobs of a batch that one failure ends. */
export const abortTag = "on-error-abort";

/** A batch of evaluations as one job; undefined if there is none of that name. */
export async function viewBatch(context: OperationContext, batch: string): Promise<View | undefined> {
  const { jobs: listed } = await context.engine.list({ batch, kind: "page" }, { limit: 100 }, context.actor);
  const jobs = listed.toSorted((one, other) => (one.id < other.id ? -1 : 1));
  const [first] = jobs;
  if (first === undefined) return undefined;
  const processed = jobs.filter(({ state }) => isTerminal(state));
  const good = processed.filter(({ state }) => state.status === "succeeded");
  const failed = processed.find(({ state }) => state.status !== "succeeded" && state.status !== "cancelled");
  const isDone = processed.length === jobs.length;
  const isAborted = isDone && (good.length === 0 || (failed !== undefined && first.tags.includes(abortTag)));
  const status = isDone ? (isAborted ? "failed" : "completed") : isStarted(jobs) ? "active" : "waiting";
  const endedAt = isDone ? Math.max(...processed.map(finishedAt)) : undefined;
  return {
    jobId: batch,
    status,
    progress: Math.floor((100 * processed.length) / jobs.length),
    totalItems: jobs.length,
    processedItems: processed.length,
    successItems: good.length,
    failedItems: processed.length - good.length,
    timestamps: defined({
      created: first.createdAt,
      started: startOf(jobs),
      completed: isAborted ? undefined : endedAt,
      failed: isAborted ? endedAt : undefined,
    }),
    ...(isDone
      ? { result: { items: await Promise.all(jobs.map((job, index) => viewItem(context, job, index))) } }
      : {}),
    ...(isAborted && failed !== undefined ? { failedReason: errorOfJob(failed).message } : {}),
  };
}

async function viewItem(context: OperationContext, job: Job, index: number): Promise<View> {
  if (job.state.status !== "succeeded") {
    const { code, message } = errorOfJob(job);
    return { index, pageId: job.id, success: false, error: { code, message } };
  }
  const { quality } = (await findPage(context, job.id)).analysis;
  if (quality === undefined) return { index, pageId: job.id, success: false };
  const rated = Object.fromEntries(Object.entries(quality.axes).map(([name, { score }]) => [name, score]));
  const axisScores = { originality: null, ...rated };
  return { index, pageId: job.id, success: true, overallScore: quality.score, grade: quality.grade, axisScores };
}

function isStarted(jobs: readonly Job[]): boolean {
  return jobs.some(({ state }) => state.status !== "queued");
}

function startOf(jobs: readonly Job[]): number | undefined {
  const starts = jobs.flatMap(({ state }) =>
    "startedAt" in state && state.startedAt !== undefined ? [state.startedAt] : [],
  );
  return starts.length === 0 ? undefined : Math.min(...starts);
}

function finishedAt({ state }: Job): number {
  return isTerminal(state) ? state.finishedAt : 0;
}
