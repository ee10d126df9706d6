import { z } from "zod";
import { findJob } from "./job-reference.ts";
import { startedJobSchema, toStartedJob } from "./job-view.ts";
import { defineOperation } from "./operation.ts";

export const jobRerun = defineOperation({
  name: "job_rerun",
  scope: "run",
  description: "Start a new job like a finished one: the same input and options, or with changes to the input.",
  input: z.strictObject({
    id: z.string().min(1).describe("Job id, the end of one, or a name."),
    changes: z
      .record(z.string(), z.json())
      .optional()
      .describe("Fields of the input that are to differ, as a JSON merge patch: null takes one away."),
    idempotency_key: z.string().min(1).max(200).optional(),
  }),
  output: startedJobSchema,
  run: async ({ engine, actor }, { id, changes, idempotency_key: idempotencyKey }) => {
    const job = await findJob(engine, id, actor);
    return toStartedJob(await engine.rerun(job.id, { changes, idempotencyKey }, actor));
  },
});
