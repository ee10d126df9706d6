import { LonghaulError } from "../../../job/error.ts";
import type { Job } from "../../../job/job.ts";
import { findJob } from "../../../operations/job-reference.ts";
import type { JobAccess } from "../../mcp/tools/job-tool.ts";

export type Arguments = Readonly<Record<string, unknown>>;

/** A text is answered as it is, anything else as JSON. */
export type TaskReply = string | Record<string, unknown>;

const maxTasks = 1_000;

/** The task of this id, or of this name: mcp-task's own ids are the names of ours. */
export async function findTask(args: Arguments, access: JobAccess): Promise<Job> {
  const id = taskId(args);
  if (id === undefined) throw new LonghaulError("invalid_input", "task_id is required");
  const job = await findJob(access.engine, id, access.actor).catch((error: unknown) => {
    if (error instanceof LonghaulError && ["not_found", "expired", "conflict"].includes(error.code)) return undefined;
    throw error;
  });
  if (job?.kind === "agent") return job;
  throw new LonghaulError("not_found", `Task ${id} not found`);
}

/** Oldest first. */
export async function listTasks(batch: string | undefined, { engine, actor }: JobAccess): Promise<Job[]> {
  const filter = { kind: "agent", batch };
  return (await engine.list(filter, { limit: maxTasks }, actor)).jobs.toReversed();
}

/** Exactly one of them must be given. */
export function oneTarget(args: Arguments): { taskId: string } | { batchId: string } {
  const id = taskId(args);
  const batchId = text(args["batch_id"]);
  if (id !== undefined && batchId !== undefined) {
    throw new LonghaulError("invalid_input", "Provide either task_id or batch_id, not both");
  }
  if (id !== undefined) return { taskId: id };
  if (batchId !== undefined) return { batchId };
  throw new LonghaulError("invalid_input", "Either task_id or batch_id is required");
}

/** `standard-count-five`: the model and the first three longer words of the task, numbered if that is taken. */
export async function makeName(model: string, task: string, taken: Set<string>, access: JobAccess): Promise<string> {
  const words = task
    .toLowerCase()
    .replaceAll(/[^a-z0-9\s]/g, "")
    .split(/\s+/)
    .filter((word) => word.length > 2)
    .slice(0, 3);
  const base = [model.toLowerCase().replaceAll(/[^a-z0-9]/g, ""), ...words].join("-").slice(0, 150);
  for (let count = 0; ; count++) {
    const name = count === 0 ? base : `${base}-${count}`;
    if (taken.has(name)) continue;
    const { jobs } = await access.engine.list({ name }, { limit: 1 }, access.actor);
    if (jobs.length > 0) continue;
    taken.add(name);
    return name;
  }
}

function taskId(args: Arguments): string | undefined {
  return text(args["task_id"]) ?? text(args["job_id"]) ?? text(args["jobId"]);
}

function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
