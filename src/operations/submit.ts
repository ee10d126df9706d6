import { z } from "zod";
import type { SubmitRequest } from "../engine/submit.ts";
import { defined } from "../job/defined.ts";
import { startedJobSchema, toStartedJob } from "./job-view.ts";
import { defineOperation, type OperationContext } from "./operation.ts";
import { startFields, toStart } from "./start.ts";

/** A job of any kind. */
export const jobRequestSchema = z.strictObject({
  kind: z.string(),
  input: z.unknown().optional().describe("What the kind takes: kind_list has its schema."),
  ...startFields,
  after: startFields.after.describe("Run after these jobs have succeeded: ids, names, or refs of this call."),
  ref: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe("A name by which `after` of others in this call can mean this job."),
});

export const jobSubmit = defineOperation({
  name: "job_submit",
  scope: "run",
  description: "Start jobs of any kind, all of them or none.",
  // All of them are stored in one transaction, during which nobody else is served.
  input: z.strictObject({ jobs: z.array(jobRequestSchema).min(1).max(100) }),
  output: z.object({ jobs: z.array(startedJobSchema) }),
  run: async (context, { jobs }) => {
    const refs = new Set(jobs.flatMap(({ ref }) => ref ?? []));
    const requests: SubmitRequest[] = [];
    for (const job of jobs) requests.push(await toRequest(job, refs, context));
    const created = await context.engine.submitKeyed(requests, context.actor);
    return { jobs: created.map(toStartedJob) };
  },
});

async function toRequest(
  job: z.output<typeof jobRequestSchema>,
  refs: ReadonlySet<string>,
  context: OperationContext,
): Promise<SubmitRequest> {
  const { kind, input = {}, ref } = job;
  return { kind, input, ...(await toStart(job, context, refs)), ...defined({ ref }) };
}
