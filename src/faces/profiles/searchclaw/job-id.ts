import { LonghaulError } from "../../../job/error.ts";
import type { Job } from "../../../job/job.ts";
import { findJob } from "../../../operations/job-reference.ts";
import type { OperationContext } from "../../../operations/operation.ts";

const digits = 12;

/** SearchClaw's form of an id: the last 12 digits of ours, all of them random, so that nothing need be remembered. */
export function toSearchclawId({ id, kind }: Pick<Job, "id" | "kind">): string {
  return `${kind === "agent" ? "agent" : "job"}_${id.slice(-digits)}`;
}

/** The job of this id, in SearchClaw's form or ours, if it is the caller's. */
export async function findSearchclawJob(id: string, { engine, actor }: OperationContext): Promise<Job> {
  try {
    return await findJob(engine, id, actor);
  } catch (error) {
    const isAbsent = error instanceof LonghaulError && (error.code === "not_found" || error.code === "expired");
    throw isAbsent ? new LonghaulError("not_found", `Job ${id} not found or expired`) : error;
  }
}
