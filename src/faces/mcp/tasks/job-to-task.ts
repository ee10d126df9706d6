import type { CallToolResult } from "@modelcontextprotocol/server";
import { elapsedMs } from "../../../job/elapsed.ts";
import type { Job } from "../../../job/job.ts";
import type { AskedQuestion, Question } from "../../../job/question.ts";
import { isHeld, isTerminal } from "../../../job/state.ts";
import { cleanAnswer } from "../tools/clean-text.ts";
import { statusMessage, type Activity } from "./status-message.ts";

export type TaskStatus = "working" | "input_required" | "completed" | "failed" | "cancelled";

/** What a finished job comes to on the wire: a tool result, or an error of the protocol itself. */
export type TaskOutcome =
  | { readonly type: "result"; readonly result: CallToolResult }
  | { readonly type: "error"; readonly error: { readonly code: number; readonly message: string } };

/** The failure code of a job whose tool call ends in a JSON-RPC error instead of a result. */
export const protocolErrorCode = "protocol_error";

interface AnyTask {
  readonly [key: string]: unknown;
  readonly taskId: string;
  readonly status: TaskStatus;
  readonly statusMessage: string;
  readonly createdAt: string;
  readonly lastUpdatedAt: string;
}

/** A task as revision 2026-07-28 shows it, without what only its detailed form has. */
export interface Task extends AnyTask {
  readonly ttlMs: number | null;
  readonly pollIntervalMs: number;
}

export interface ElicitationRequest {
  readonly method: "elicitation/create";
  readonly params: { readonly [key: string]: unknown };
}

/** What `tasks/get` and `notifications/tasks` say. */
export interface DetailedTask extends Task {
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly code: number; readonly message: string };
  readonly inputRequests?: Record<string, ElicitationRequest>;
}

export interface LegacyTask extends AnyTask {
  readonly ttl: number | null;
  readonly pollInterval: number;
}

export function toTask(job: Job, now: number, activity?: Activity): Task {
  return {
    taskId: job.id,
    status: taskStatus(job),
    statusMessage: statusMessage(job, now, activity),
    createdAt: toIso(job.createdAt),
    lastUpdatedAt: toIso(updatedAt(job)),
    ttlMs: isTerminal(job.state) ? elapsedMs(job.createdAt, job.state.expiresAt) : null,
    pollIntervalMs: pollIntervalMs(now - job.createdAt),
  };
}

export function toDetailedTask(
  job: Job,
  now: number,
  found: { outcome?: TaskOutcome; questions?: readonly AskedQuestion[]; activity?: Activity },
): DetailedTask {
  const task = toTask(job, now, found.activity);
  const { outcome } = found;
  if (outcome?.type === "error") return { ...task, error: outcome.error };
  // Without the resultType the official client takes no result, though the examples of the specification omit it.
  if (outcome !== undefined && task.status === "completed") {
    return { ...task, result: { resultType: "complete", ...outcome.result } };
  }
  return task.status === "input_required" ? { ...task, inputRequests: toInputRequests(found.questions ?? []) } : task;
}

export function toCreatedTask(job: Job, now: number, activity?: Activity): Record<string, unknown> {
  return { resultType: "task", ...toTask(job, now, activity) };
}

/** Revision 2025-11-25 calls a tool's error a failed task, and wants a cancelled one to be so at once. */
export function toLegacyTask(job: Job, now: number, activity?: Activity): LegacyTask {
  const { ttlMs, pollIntervalMs: pollInterval, ...task } = toTask(job, now, activity);
  return { ...task, status: legacyStatus(job, task.status), ttl: ttlMs, pollInterval };
}

export function openQuestions(questions: readonly AskedQuestion[]): AskedQuestion[] {
  return questions.filter(({ answer }) => answer === undefined);
}

export function toElicitation({ message, form }: Question): ElicitationRequest["params"] {
  return cleanAnswer({ mode: "form", message, requestedSchema: form ?? { type: "object", properties: {} } });
}

function toInputRequests(questions: readonly AskedQuestion[]): Record<string, ElicitationRequest> {
  const requests = openQuestions(questions).map(({ key, question }) => [
    key,
    { method: "elicitation/create", params: toElicitation(question) },
  ]);
  return Object.fromEntries(requests) as Record<string, ElicitationRequest>;
}

function taskStatus({ state }: Job): TaskStatus {
  if (state.status === "queued" || state.status === "running") return "working";
  if (state.status === "waiting") return "input_required";
  if (state.status === "cancelled") return "cancelled";
  return state.status === "failed" && state.failure.code === protocolErrorCode ? "failed" : "completed";
}

function legacyStatus({ state }: Job, status: TaskStatus): TaskStatus {
  if (state.status === "failed" || state.status === "timed_out") return "failed";
  return isHeld(state) && state.cancelRequest !== undefined ? "cancelled" : status;
}

/** Derived from the state, so that a poll costs one read. */
function updatedAt({ state, createdAt }: Job): number {
  if (isTerminal(state)) return state.finishedAt;
  if (state.status === "queued") return Math.max(createdAt, state.queuedAt);
  const marks = [state.cancelRequest?.at, state.stalledSince, "waitingSince" in state ? state.waitingSince : undefined];
  return Math.max(state.startedAt, ...marks.map((at) => at ?? 0));
}

/** Clients obey it to the letter: quick at first, then ever slower. */
function pollIntervalMs(ageMs: number): number {
  if (ageMs < 10_000) return 1_000;
  if (ageMs < 60_000) return 2_000;
  return ageMs < 600_000 ? 5_000 : 15_000;
}

function toIso(atMs: number): string {
  return new Date(atMs).toISOString();
}
