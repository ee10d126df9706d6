import type { Job } from "../../../job/job.ts";
import { endMessage } from "../../mcp/tasks/outcome.ts";

/** Why a job ended without a result. SearchClaw calls all of them failed, so the words tell which were cancelled or took too long. */
export function tellEnd(job: Job): string {
  const { state } = job;
  if (state.status === "timed_out") return `The job took too long: ${state.failure.message}`;
  if (state.status !== "cancelled") return endMessage(job);
  return `The job was ${state.reason.startsWith("cancelled ") ? state.reason : `cancelled: ${state.reason}`}.`;
}
