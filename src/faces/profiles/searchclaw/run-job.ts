import type { z } from "zod";
import { LonghaulError } from "../../../job/error.ts";
import type { Job } from "../../../job/job.ts";
import { isTerminal } from "../../../job/state.ts";
import type { OperationContext } from "../../../operations/operation.ts";
import type { StartOperation } from "../../../operations/start.ts";
import { hasProgressToken } from "../../mcp/tools/wait-with-progress.ts";
import type { CallContext } from "../profile.ts";
import { toSearchclawId } from "./job-id.ts";
import { tellEnd } from "./tell-end.ts";

/** Clients give up a call after a minute, unless they hear of its progress; some then after five. */
const waitMs = 45_000;
const longWaitMs = 240_000;

export async function startJob<Input extends z.ZodObject>(
  context: OperationContext,
  operation: StartOperation<string, Input>,
  call: z.input<StartOperation<string, Input>["input"]>,
): Promise<Job> {
  const { id } = await operation.call(context, call);
  return context.engine.get(id, context.actor);
}

/** Waits for the end, at most as long as a call may take, and tells where the job stands then. */
export async function waitForEnd(context: CallContext, job: Job): Promise<Job> {
  const { engine, actor, signal } = context;
  const { jobs } = await engine.wait(job.id, { timeoutMs: patienceOf(context), ...actor, signal });
  return jobs[0] ?? job;
}

/** Runs a job whose result is the answer. One that takes longer goes on, and job_status has its result. */
export async function runToEnd<Input extends z.ZodObject>(
  context: CallContext,
  ...start: [operation: StartOperation<string, Input>, call: z.input<StartOperation<string, Input>["input"]>]
): Promise<Job> {
  const job = await waitForEnd(context, await startJob(context, ...start));
  if (job.state.status === "succeeded") return job;
  if (isTerminal(job.state)) throw new LonghaulError("unavailable", tellEnd(job), { details: statusOf(job) });
  throw new LonghaulError(
    "unavailable",
    `It takes longer than ${patienceOf(context) / 1_000} s and goes on; job_status with job_id ${toSearchclawId(job)} has its result.`,
    { details: { status: 504 } },
  );
}

function patienceOf({ request }: CallContext): number {
  return hasProgressToken(request) ? longWaitMs : waitMs;
}

/** What SearchClaw answers when the page, the browser or the time is the trouble. */
function statusOf({ state }: Job): { status: number } {
  if (state.status === "timed_out") return { status: 504 };
  return { status: state.status === "failed" && state.failure.code.endsWith("_missing") ? 503 : 502 };
}
