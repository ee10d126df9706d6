import { assertNever } from "../../../job/error.ts";
import type { Failure } from "../../../job/failure.ts";
import type { Job } from "../../../job/job.ts";
import { isHeld, isTerminal } from "../../../job/state.ts";
import { modelsOf } from "../../../kinds/agent/contract.ts";
import { agentAnswerSchema, agentRequestSchema } from "../../../operations/agent-record.ts";
import type { JobAccess } from "../../mcp/tools/job-tool.ts";
import type { ActivityFacts } from "./task-activity.ts";

export const taskStatuses = ["pending", "running", "completed", "failed", "cancelled"] as const;

export type TaskStatus = (typeof taskStatuses)[number];

/** Our states in the words of mcp-task. */
export function toTaskStatus({ state }: Job): TaskStatus {
  switch (state.status) {
    case "queued":
      return "pending";
    case "running":
    case "waiting":
      return "running";
    case "succeeded":
      return "completed";
    case "failed":
    case "timed_out":
      return "failed";
    case "cancelled":
      return "cancelled";
    default:
      return assertNever(state);
  }
}

/** What a task was asked to do, as far as its clients are shown. */
export async function readInput(
  job: Job,
  { engine, actor }: JobAccess,
): Promise<{ task: string; model: string; readOnly?: boolean }> {
  // A job may be pruned between two reads.
  const asked = agentRequestSchema.parse(await engine.input(job.id, actor).catch(() => null));
  return { task: asked.task ?? "", model: modelsOf(asked)[0] ?? "standard", readOnly: asked.read_only };
}

/** The answer, or why there is none; undefined while it is not known. */
export async function readOutput(job: Job, { engine, actor }: JobAccess): Promise<string | undefined> {
  const { state } = job;
  if (state.status === "succeeded") {
    const { data, output, stopped_by: limit } = agentAnswerSchema.parse(await engine.result(job.id, actor));
    if (data !== undefined) return JSON.stringify(data);
    return limit === undefined ? output : `${output}\n\n[Stopped by ${limit}: this is what it had by then.]`;
  }
  if ("failure" in state) return `ERROR: ${failureText(job, state.failure)}`;
  return state.status === "cancelled" ? "Task was cancelled" : undefined;
}

/** The limits of time are told in the words that clients know. */
export function failureText({ limits }: Job, { code, message }: Failure): string {
  if (code === "total_limit") return `Task timed out after ${toSeconds(limits.totalMs)} seconds`;
  if (code === "idle_limit") return `Task auto-failed after ${toSeconds(limits.idleMs)} seconds of inactivity`;
  return message;
}

function toSeconds(milliseconds = 0): number {
  return Math.round(milliseconds / 1_000);
}

const steps = [
  [5_000, 5],
  [10_000, 10],
  [30_000, 15],
  [60_000, 30],
  [120_000, 60],
] as const;

/** Seconds to leave a task alone; undefined for one that has ended. */
export function checkAfterSeconds({ state }: Job, now: number): number | undefined {
  if (isTerminal(state)) return undefined;
  const ranMs = isHeld(state) ? now - state.startedAt : 0;
  return steps.find(([max]) => ranMs <= max)?.[1] ?? 120;
}

const quietMs = 60_000;
const longMs = 300_000;

/** The later of these counts more. */
export function warningOf(
  { state }: Job,
  { silentMs = 0, errorCount }: Pick<ActivityFacts, "silentMs" | "errorCount">,
  now: number,
): string | null {
  if (!isHeld(state)) return null;
  if (state.cancelRequest !== undefined) return "Warning: Task is being cancelled and has not ended yet";
  if (errorCount > 2) return `Warning: ${errorCount} errors encountered`;
  if (state.status === "waiting") return "Warning: Task waits for the answer to its question: give it with answer_task";
  const ranMs = now - state.startedAt;
  if (ranMs > longMs) return `Warning: Task running for ${Math.round(ranMs / 60_000)} minutes`;
  return silentMs > quietMs ? `Warning: No activity for ${toSeconds(silentMs)} seconds` : null;
}

export function progressOf({ state }: Job): string | undefined {
  return "progress" in state ? state.progress?.message : undefined;
}

export function completedAt({ state }: Job): string | undefined {
  return isTerminal(state) ? new Date(state.finishedAt).toISOString() : undefined;
}
