import { defined } from "../../../job/defined.ts";
import type { Job } from "../../../job/job.ts";
import { isTerminal } from "../../../job/state.ts";
import type { OperationContext } from "../../../operations/operation.ts";
import { errorOfJob } from "./error-codes.ts";
import { findPage } from "./page-jobs.ts";
import { viewEvaluation } from "./views/evaluation-view.ts";

type View = Record<string, unknown>;

/** Marks the jobs of a batch that one failure ends. */
export const abortTag = "on-error-abort";

/** Says which item of its batch a job judges. */
export function itemTag(index: number): string {
  return `item-${index}`;
}

/** Says which items named a page that was not there, one bit for each; they have no job that could say so. */
export function absentTag(absent: readonly number[]): string {
  const bits = absent.reduce((sum, index) => sum | (1n << BigInt(index)), 0n);
  return `absent-${bits.toString(16)}`;
}

function readAbsent({ tags }: Job): number[] {
  const digits = tags.flatMap((tag) => /^absent-([0-9a-f]{1,25})$/.exec(tag)?.[1] ?? [])[0] ?? "0";
  const bits = BigInt(`0x${digits}`);
  return Array.from({ length: 100 }, (_, index) => index).filter((index) => ((bits >> BigInt(index)) & 1n) === 1n);
}

/** A batch of evaluations as one job; undefined if there is none of that name. */
export async function viewBatch(context: OperationContext, batch: string): Promise<View | undefined> {
  const { jobs } = await context.engine.list({ batch, kind: "page" }, { limit: 100 }, context.actor);
  const [first] = jobs;
  if (first === undefined) return undefined;
  const absent = readAbsent(first);
  const ended = jobs.filter(({ state }) => isTerminal(state));
  // Those that an aborted batch did not come to are cancelled.
  const processed = ended.filter(({ state }) => state.status !== "cancelled");
  const good = processed.filter(({ state }) => state.status === "succeeded").length;
  const isDone = ended.length === jobs.length;
  const counts = {
    totalItems: jobs.length + absent.length,
    processedItems: processed.length + absent.length,
    successItems: good,
    failedItems: processed.length - good + absent.length,
  };
  const started = startOf(jobs);
  const endedAt = isDone ? Math.max(...ended.map(finishedAt)) : undefined;
  return defined({
    jobId: batch,
    status: isDone ? "completed" : jobs.some(({ state }) => state.status !== "queued") ? "active" : "waiting",
    progress: isDone ? 100 : Math.floor((100 * counts.processedItems) / counts.totalItems),
    ...counts,
    timestamps: defined({ created: first.createdAt, started, completed: endedAt }),
    result:
      endedAt === undefined
        ? undefined
        : defined({
            jobId: batch,
            success: counts.failedItems === 0 && processed.length === jobs.length,
            ...counts,
            results: await viewItems(context, processed, absent),
            processingTimeMs: endedAt - (started ?? first.createdAt),
            completedAt: new Date(endedAt).toISOString(),
            error: whyAborted(jobs),
          }),
  });
}

async function viewItems(context: OperationContext, jobs: readonly Job[], absent: readonly number[]): Promise<View[]> {
  const judged: { readonly index: number }[] = [];
  for (const job of jobs) judged.push(await viewItem(context, job));
  const missing = absent.map((index) =>
    toFailure(index, "There was no page of this id: its time may have ended, or it was never analysed."),
  );
  return [...judged, ...missing].toSorted((one, other) => one.index - other.index);
}

async function viewItem(context: OperationContext, job: Job): Promise<View & { readonly index: number }> {
  const index = indexOf(job);
  if (job.state.status !== "succeeded") return toFailure(index, errorOfJob(job).message);
  const { analysis } = await findPage(context, job.id);
  const { quality, phases } = analysis;
  if (quality === undefined) {
    return toFailure(index, phases.find(({ name }) => name === "quality")?.reason ?? "It could not be judged.");
  }
  const choice = { includeRecommendations: true, isBrief: false };
  return { index, success: true, data: { pageId: job.id, ...viewEvaluation(quality, analysis.analyzedAt, choice) } };
}

function toFailure(index: number, message: string): View & { readonly index: number } {
  return { index, success: false, error: { code: "EVALUATION_ERROR", message } };
}

function indexOf({ tags }: Job): number {
  return Number(tags.flatMap((tag) => /^item-(\d+)$/.exec(tag)?.[1] ?? [])[0] ?? 0);
}

function whyAborted(jobs: readonly Job[]): string | undefined {
  const failed = jobs
    .filter(
      ({ state, tags }) => tags.includes(abortTag) && state.status !== "succeeded" && state.status !== "cancelled",
    )
    .toSorted((one, other) => indexOf(one) - indexOf(other))[0];
  return failed && `Item ${indexOf(failed)} failed, so the rest was not judged: ${errorOfJob(failed).message}`;
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
