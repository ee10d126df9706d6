import { randomBytes } from "node:crypto";
import { z } from "zod";
import type { SubmitRequest } from "../engine/submit.ts";
import { LonghaulError } from "../job/error.ts";
import { agentContract } from "../kinds/agent/contract.ts";
import { jobViewSchema, toJobView } from "./job-view.ts";
import { defineOperation } from "./operation.ts";
import { runAgent } from "./start-operations.ts";
import { toStart } from "./start.ts";

const maxJobs = 100;
const { model, context: contextText } = agentContract.input.shape;

export const runAgents = defineOperation({
  name: "run_agents",
  scope: "run",
  description:
    "Give one task to several models, or with several inputs, as a batch of jobs: all or none. Several models may not change anything.",
  input: runAgent.input.omit({ model: true }).extend({
    models: z.array(model.unwrap()).max(20).optional().describe("One job for each."),
    inputs: z
      .array(contextText.unwrap())
      .max(maxJobs)
      .optional()
      .describe("One job for each, which finds it in its context."),
  }),
  output: z.object({ batch: z.string(), jobs: z.array(jobViewSchema) }),
  run: async (context, { models = [], inputs = [], ...given }) => {
    if (models.length > 1 && given.read_only !== true) throw severalWriters();
    const batch = given.batch ?? `agents-${randomBytes(6).toString("hex")}`;
    const combined = (inputs.length === 0 ? [undefined] : inputs).flatMap((item) =>
      (models.length === 0 ? [undefined] : models).map((chosen) => ({ item, chosen })),
    );
    if (combined.length > maxJobs) {
      throw new LonghaulError("too_large", `A batch may have ${maxJobs} jobs, got ${combined.length}.`);
    }
    const start = await toStart(given, context);
    const asked = Object.fromEntries(Object.entries(given).filter(([field]) => field in agentContract.input.shape));
    const requests = combined.map(({ item, chosen }, index): SubmitRequest => {
      const told = [given.context, item].filter((part) => part !== undefined);
      const key = given.idempotency_key;
      return {
        ...start,
        kind: agentContract.name,
        input: { ...asked, model: chosen, context: told.length === 0 ? undefined : told.join("\n\n") },
        batch,
        idempotencyKey: key === undefined ? undefined : `${key} ${index}`,
      };
    });
    const jobs = await context.engine.submitMany(requests, context.actor);
    // Jobs that were there before, under the idempotency key, are in the batch that they were started in.
    return { batch: jobs[0]?.batch ?? batch, jobs: jobs.map(toJobView) };
  },
});

/** They would undo each other's changes. */
function severalWriters(): LonghaulError {
  return new LonghaulError(
    "invalid_input",
    "Several models may not change the same folder: set read_only, or choose one model.",
  );
}
