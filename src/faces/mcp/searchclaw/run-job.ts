import { defined } from "../../../job/defined.ts";
import { LonghaulError } from "../../../job/error.ts";
import type { Job } from "../../../job/job.ts";
import { isTerminal } from "../../../job/state.ts";
import type { OperationContext } from "../../../operations/operation.ts";
import { operations } from "../../../operations/operations.ts";
import { endMessage } from "../outcome.ts";
import { toSearchclawId } from "./job-id.ts";

export interface SearchclawContext extends OperationContext {
  /** How long a call waits for its job. */
  readonly waitMs: number;
}

/** Submits a job by the operation of this name. */
export async function startJob(context: OperationContext, name: string, call: object): Promise<Job> {
  const operation = operations.find((known) => known.name === name);
  if (operation === undefined) throw new LonghaulError("unavailable", `This server has no operation ${name}.`);
  const { id } = (await operation.call(context, call)) as { id: string };
  return context.engine.get(id, context.actor);
}

/** Waits for the end, at most as long as a call may take, and tells where the job stands then. */
export async function waitForEnd({ engine, actor, signal, waitMs }: SearchclawContext, job: Job): Promise<Job> {
  const { jobs } = await engine.wait(job.id, { timeoutMs: waitMs, ...actor, ...defined({ signal }) });
  return jobs[0] ?? job;
}

/** Runs a job whose result is the answer. One that takes longer goes on, and job_status has its result. */
export async function runToEnd(context: SearchclawContext, name: string, call: object): Promise<Job> {
  const job = await waitForEnd(context, await startJob(context, name, call));
  if (job.state.status === "succeeded") return job;
  if (isTerminal(job.state)) throw new LonghaulError("unavailable", endMessage(job), { details: statusOf(job) });
  throw new LonghaulError(
    "unavailable",
    `It takes longer than ${context.waitMs / 1_000} s and goes on; job_status with job_id ${toSearchclawId(job)} has its result.`,
    { details: { status: 504 } },
  );
}

/** What SearchClaw answers when the page, the browser or the time is the trouble. */
function statusOf({ state }: Job): { status: number } {
  if (state.status === "timed_out") return { status: 504 };
  return { status: state.status === "failed" && state.failure.code.endsWith("_missing") ? 503 : 502 };
}
