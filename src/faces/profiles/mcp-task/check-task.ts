import { setTimeout as delay } from "node:timers/promises";
import type { Job } from "../../../job/job.ts";
import { isHeld } from "../../../job/state.ts";
import type { CallContext } from "../profile.ts";
import { readActivity } from "./task-activity.ts";
import { readQuestion } from "./task-question.ts";
import { findTask, type Arguments } from "./task-reference.ts";
import {
  checkAfterSeconds,
  completedAt,
  failureText,
  progressOf,
  readInput,
  readOutput,
  toTaskStatus,
  warningOf,
} from "./task-view.ts";

/** All that is known of one task. */
export async function checkTask(context: CallContext, args: Arguments): Promise<Record<string, unknown>> {
  const job = await findTask(args, context);
  const { state } = job;
  const isSummed = args["summary"] === true && isHeld(state);
  const [{ model, readOnly }, output, activity, question, summary] = await Promise.all([
    readInput(job, context),
    readOutput(job, context),
    readActivity(job, context),
    readQuestion(job, context),
    isSummed ? sumUp(job, context) : undefined,
  ]);
  const now = Date.now();
  const status = toTaskStatus(job);
  const seconds = checkAfterSeconds(job, now);
  const { silentMs: _silentMs, errorCount, lastError, ...told } = activity;
  const startedAt = "startedAt" in state ? state.startedAt : undefined;
  const failure = "failure" in state ? state.failure : undefined;
  return {
    id: job.id,
    status,
    model,
    readOnly,
    createdAt: new Date(job.createdAt).toISOString(),
    startedAt: startedAt && new Date(startedAt).toISOString(),
    completedAt: completedAt(job),
    output,
    progress: summary ?? progressOf(job),
    ...told,
    ...question,
    check_after: status === "running" ? `Please wait ${seconds} seconds before checking this task again` : null,
    check_after_seconds: seconds,
    warning: warningOf(job, activity, now),
    errorCount: errorCount + (failure === undefined ? 0 : 1),
    lastError: failure === undefined ? lastError : failureText(job, failure),
  };
}

/** Clients wait for an answer no longer than a minute. */
const patienceMs = 30_000;

/** A status is told with or without a summary: whatever keeps it from being made is no reason to tell nothing. */
async function sumUp({ id }: Job, { engine, actor, signal }: CallContext): Promise<string | undefined> {
  const late = new AbortController();
  try {
    const options = { signal: AbortSignal.any([signal, late.signal]) };
    return await Promise.race([engine.summarize(id, actor), delay(patienceMs, undefined, options)]);
  } catch {
    return undefined;
  } finally {
    late.abort();
  }
}
