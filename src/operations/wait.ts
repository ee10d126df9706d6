import { z } from "zod";
import type { WaitUntil } from "../engine/wait.ts";
import { LonghaulError } from "../job/error.ts";
import { findJobs } from "./job-reference.ts";
import { describeJob } from "./job.ts";
import { jobViewSchema } from "./job-view.ts";
import { defineOperation, type OperationContext } from "./operation.ts";

const until = z
  .enum(["done", "ready", "output", "question", "stall"])
  .default("done")
  .describe("What to wait for on each job; a job that has ended always counts.");

export const jobWait = defineOperation({
  name: "job_wait",
  scope: "read",
  description:
    "Wait for jobs: until they are done, ready, write output, ask a question, fall silent, or print a pattern.",
  input: z.strictObject({
    ids: z.array(z.string()).min(1).max(1_000),
    for: z.union([z.enum(["all", "any", "success"]), z.int().min(1)]).default("all"),
    until,
    pattern: z.string().max(1_000).optional().describe("Wait until a line of output matches this expression (RE2)."),
    timeout_ms: z
      .int()
      .min(0)
      .max(24 * 3_600_000)
      .default(30_000),
  }),
  output: z.object({
    reached: z.boolean().describe("False when the time ran out first: the jobs go on."),
    met: z.array(z.string()).describe("Ids of the jobs for which it came true."),
    jobs: z.array(jobViewSchema),
  }),
  run: async (context, input) => {
    const { engine, actor, signal } = context;
    const condition = toCondition(input.until, input.pattern, context);
    const jobs = await findJobs(engine, input.ids, actor);
    if (typeof input.for === "number" && input.for > jobs.length) {
      throw new LonghaulError(
        "invalid_input",
        `for must be at most the number of jobs (${jobs.length}), got ${input.for}.`,
      );
    }
    const result = await engine.wait(
      jobs.map(({ id }) => id),
      { for: input.for, until: condition, timeoutMs: input.timeout_ms, ...actor, signal },
    );
    const views = await Promise.all(result.jobs.map((job) => describeJob(job, context)));
    return { reached: result.isReached, met: [...result.met], jobs: views };
  },
});

function toCondition(
  wanted: z.output<typeof until>,
  pattern: string | undefined,
  { engine: { patterns }, signal }: OperationContext,
): WaitUntil {
  if (pattern !== undefined && wanted !== "done") {
    throw new LonghaulError("invalid_input", `Give either a pattern or until, not both (got until "${wanted}").`);
  }
  if (pattern !== undefined) {
    patterns.check(pattern);
    return { pattern: { some: (lines) => patterns.some(pattern, lines, { signal }) } };
  }
  if (wanted === "done") return "finished";
  return wanted === "ready" ? { phase: "ready" } : wanted;
}
