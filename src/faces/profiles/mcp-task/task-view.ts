import { assertNever } from "../../../job/error.ts";
import type { Job } from "../../../job/job.ts";
import { isHeld, isTerminal } from "../../../job/state.ts";
import { modelsOf } from "../../../kinds/agent/contract.ts";
import { agentAnswerSchema, agentRequestSchema } from "../../../operations/agent-record.ts";
import type { JobAccess } from "../../mcp/tools/job-tool.ts";
import { tryParseJson } from "../../../text/parse-json.ts";

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
): Promise<{ task: string; model: string; readOnly: boolean }> {
  // A job may be pruned between two reads.
  const asked = agentRequestSchema.parse(await engine.input(job.id, actor).catch(() => null));
  return { task: asked.task ?? "", model: modelsOf(asked)[0] ?? "standard", readOnly: asked.read_only === true };
}

/** The answer, or why there is none; undefined while it is not known. */
export async function readOutput(job: Job, { engine, actor }: JobAccess): Promise<string | undefined> {
  const { state } = job;
  if (state.status === "succeeded") {
    const { data, output } = agentAnswerSchema.parse(await engine.result(job.id, actor));
    return data === undefined ? output : JSON.stringify(data);
  }
  if ("failure" in state) return `ERROR: ${state.failure.message}`;
  return state.status === "cancelled" ? `Task was cancelled: ${state.reason}` : undefined;
}

/** What a run has told of itself, for the status. */
interface ActivityFacts {
  readonly messageCount: number;
  readonly requestCount: number;
  readonly recentEvents: string[];
  readonly toolCalls: string[];
  readonly lastActivity?: string;
  readonly lastAt?: number;
  readonly errorCount: number;
  readonly lastError?: string;
}

const maxToolCalls = 50;
const readBytes = 1_000_000;

export async function readActivity(job: Job, { engine, actor }: JobAccess): Promise<ActivityFacts> {
  const { size = 0 } = (await engine.outputSizes(job.id, undefined, actor))["activity"] ?? {};
  const from = Math.max(0, size - readBytes);
  const { bytes } = await engine.readOutput(job.id, { stream: "activity", from, limit: readBytes }, actor);
  const lines = Buffer.from(bytes).toString().split("\n");
  const events = lines.flatMap((line) => (tryParseJson(line) as ToldEvent | undefined) ?? []);
  const told = events.map(({ type, at }) => `${type} at ${at}`);
  const last = events.at(-1);
  const lastGood = events.findLastIndex(({ type }) => type !== "retry");
  const errors = events.slice(lastGood + 1);
  const failed = events.findLast(({ error }) => error !== undefined);
  return {
    messageCount: events.length,
    requestCount: events.filter(({ type }) => type === "step").length,
    recentEvents: told.slice(-5),
    toolCalls: events
      .flatMap(({ type, tool }) => (type === "tool_start" ? [`Called: ${tool}`] : []))
      .slice(-maxToolCalls),
    errorCount: errors.length,
    ...(last === undefined ? {} : { lastActivity: `Last event: ${told.at(-1)}`, lastAt: Date.parse(last.at) }),
    lastError: failed?.error === undefined ? undefined : failed.error,
  };
}

interface ToldEvent {
  readonly type: string;
  readonly at: string;
  readonly tool?: string;
  readonly error?: string;
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
export function warningOf({ state }: Job, { lastAt, errorCount }: ActivityFacts, now: number): string | null {
  if (!isHeld(state)) return null;
  if (errorCount > 2) return `${errorCount} errors encountered`;
  if (state.status === "waiting") return "It waits for the answer to a question";
  const ranMs = now - state.startedAt;
  if (ranMs > longMs) return `Task has been running for ${Math.floor(ranMs / 60_000)} minutes`;
  const silentMs = now - (lastAt ?? state.startedAt);
  return silentMs > quietMs ? `No activity for ${Math.floor(silentMs / 1_000)}s` : null;
}

export function progressOf({ state }: Job): string | null {
  return "progress" in state ? (state.progress?.message ?? null) : null;
}

export function completedAt({ state }: Job): string | undefined {
  return isTerminal(state) ? new Date(state.finishedAt).toISOString() : undefined;
}
