import { randomBytes } from "node:crypto";
import { z } from "zod";
import type { SubmitRequest } from "../engine/submit.ts";
import { defined } from "../job/defined.ts";
import { LonghaulError } from "../job/error.ts";
import { jobViewSchema, toJobView } from "./job-view.ts";
import { defineOperation, type OperationContext } from "./operation.ts";
import { startFields, toStart } from "./run-command.ts";

const text = z.string().max(500_000);
const model = z.string().min(1).max(200);

const agentFields = {
  ...startFields,
  task: text.describe("What to do."),
  context: text.optional().describe("What it should know."),
  output: text.optional().describe("What the answer should be."),
  files: z.array(z.string()).max(100).optional().describe("Paths to begin with."),
  read_only: z.boolean().optional().describe("Change nothing."),
  fallback: z.array(model).max(10).optional().describe("Models to try when the chosen one does not answer."),
  backend: z
    .enum(["claude-code", "codex", "opencode", "gemini"])
    .optional()
    .describe("An installed agent program that does the work."),
  cwd: z.string().optional().describe("Working folder, absolute."),
  max_steps: z.int().min(1).max(10_000).optional(),
  max_tokens: z.int().min(1).optional().describe("Ends with what it has by then."),
  max_cost_usd: z.number().positive().optional(),
  output_schema: z.record(z.string(), z.unknown()).optional().describe("JSON Schema of the result."),
};

type AgentFields = z.output<z.ZodObject<typeof agentFields>>;

export const runAgent = defineOperation({
  name: "run_agent",
  scope: "run",
  description: "Let an AI agent work on a task with tools. It goes on whatever happens to the caller or the server.",
  input: z.strictObject({
    ...agentFields,
    model: model.optional().describe("PROVIDER/MODEL, a name, or a class: standard, reasoning, code, mini…"),
  }),
  output: jobViewSchema,
  run: async (context, { model: chosen, ...input }) => {
    const request = await toRequest(input, chosen, context);
    return toJobView(await context.engine.submit(request, context.actor));
  },
});

const mostJobs = 100;

export const runAgents = defineOperation({
  name: "run_agents",
  scope: "run",
  description:
    "Give one task to several models, or with several inputs, as a batch of jobs: all or none. Several models may not change anything.",
  input: z.strictObject({
    ...agentFields,
    models: z.array(model).max(20).optional().describe("One job for each."),
    inputs: z.array(text).max(mostJobs).optional().describe("One job for each, which finds it in its context."),
  }),
  output: z.object({ batch: z.string(), jobs: z.array(jobViewSchema) }),
  run: async (context, { models = [], inputs = [], ...input }) => {
    if (models.length > 1 && input.read_only !== true) throw severalWriters();
    const batch = input.batch ?? `agents-${randomBytes(6).toString("hex")}`;
    const combined = (inputs.length === 0 ? [undefined] : inputs).flatMap((item) =>
      (models.length === 0 ? [undefined] : models).map((chosen) => ({ item, chosen })),
    );
    if (combined.length > mostJobs) {
      throw new LonghaulError("too_large", `A batch may have ${mostJobs} jobs, got ${combined.length}.`);
    }
    const requests = combined.map(({ item, chosen }, index) => {
      const told = [input.context, item].filter((part) => part !== undefined);
      const key = input.idempotency_key;
      const one = {
        ...input,
        batch,
        context: told.length === 0 ? undefined : told.join("\n\n"),
        idempotency_key: key === undefined ? undefined : `${key} ${index}`,
      };
      return toRequest(one, chosen, context);
    });
    const jobs = await context.engine.submitMany(await Promise.all(requests), context.actor);
    return { batch, jobs: jobs.map(toJobView) };
  },
});

/** They would undo each other's changes. */
function severalWriters(): LonghaulError {
  return new LonghaulError(
    "invalid_input",
    "Several models may not change the same folder: set read_only, or choose one model.",
  );
}

async function toRequest(
  input: AgentFields,
  chosen: string | undefined,
  start: OperationContext,
): Promise<SubmitRequest> {
  const { task, context, output, files, cwd, backend, fallback = [] } = input;
  return {
    kind: "agent",
    input: {
      task,
      models: [...(chosen === undefined ? [] : [chosen]), ...fallback],
      ...defined({
        ...{ context, output, files, cwd, backend },
        readOnly: input.read_only,
        maxSteps: input.max_steps,
        maxTokens: input.max_tokens,
        maxCostUsd: input.max_cost_usd,
        outputSchema: input.output_schema,
      }),
    },
    ...(await toStart(input, start)),
  };
}
