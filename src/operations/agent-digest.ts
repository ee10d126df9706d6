import { z } from "zod";
import { demandKind } from "../engine/access.ts";
import { elapsedMs } from "../job/elapsed.ts";
import { LonghaulError } from "../job/error.ts";
import type { Job } from "../job/job.ts";
import { jobStatuses } from "../job/state.ts";
import { agentContract, modelCheckSchema, modelsOf } from "../kinds/agent/contract.ts";
import { agentAnswerSchema, agentRequestSchema } from "./agent-record.ts";
import { defineOperation, type OperationContext } from "./operation.ts";

const rowSchema = z.object({
  id: z.string(),
  name: z.string().optional(),
  state: z.enum(jobStatuses),
  ...agentContract.result.pick({ model: true, steps: true, cost_usd: true }).partial().shape,
  seconds: z.number().optional(),
  tokens: z.int().optional(),
  answer: z.string().optional().describe("The first lines of what it answered, or why there is no answer."),
});

export const agentDigest = defineOperation({
  name: "agent_digest",
  scope: "read",
  description: "Compare the agents of a batch: state, model, time, tokens, cost and the first lines of each answer.",
  input: z.strictObject({ batch: z.string().min(1), lines: z.int().min(1).max(100).default(5) }),
  output: z.object({
    batch: z.string(),
    finished: z.int(),
    total: z.int(),
    cost_usd: z.number().optional().describe("Absent where a price is not known."),
    jobs: z.array(rowSchema),
  }),
  run: async (context, { batch, lines }) => {
    const { jobs } = await context.engine.list({ kind: agentContract.name, batch }, { limit: 1_000 }, context.actor);
    if (jobs.length === 0) throw new LonghaulError("not_found", `There is no batch of agents "${batch}".`);
    const rows = await Promise.all(jobs.toReversed().map((job) => toRow(job, lines, context)));
    const costs = rows.flatMap(({ state, cost_usd: cost }) => (state === "succeeded" ? [cost] : []));
    const isPriced = costs.length > 0 && costs.every((cost) => cost !== undefined);
    return {
      batch,
      finished: rows.filter(({ state }) => !["queued", "running", "waiting"].includes(state)).length,
      total: rows.length,
      ...(isPriced ? { cost_usd: costs.reduce((sum, cost) => sum + cost, 0) } : {}),
      jobs: rows,
    };
  },
});

export const agentCheck = defineOperation({
  name: "agent_check",
  scope: "run",
  description: "Test the models that agents can use: each is asked for one word.",
  input: z.strictObject({
    models: z
      .array(z.string().min(1).max(200))
      .max(50)
      .default([])
      .describe("Names or classes; all classes unless given."),
  }),
  output: z.object({ models: z.array(modelCheckSchema) }),
  run: async ({ server, actor, signal }, { models }) => {
    demandKind(actor, agentContract.name);
    return { models: (await server.agents?.check(models, signal)) ?? [] };
  },
});

type Row = z.output<typeof rowSchema>;

const longestAnswer = 2_000;

async function toRow(job: Job, lines: number, { engine, actor }: OperationContext): Promise<Row> {
  const { state, id } = job;
  const [input, result] = await Promise.all([
    engine.input(id, actor),
    state.status === "succeeded" ? engine.result(id, actor) : {},
  ]);
  const { output, model, steps, cost_usd: cost, tokens } = agentAnswerSchema.parse(result);
  const endedAt = "finishedAt" in state ? state.finishedAt : undefined;
  const startedAt = "startedAt" in state ? state.startedAt : undefined;
  return {
    id,
    state: state.status,
    name: job.name,
    model: model ?? modelsOf(agentRequestSchema.parse(input))[0],
    steps,
    cost_usd: cost,
    seconds:
      startedAt === undefined || endedAt === undefined
        ? undefined
        : Math.round(elapsedMs(startedAt, endedAt) / 100) / 10,
    tokens: tokens && tokens.input + tokens.output,
    answer: beginning(output ?? reasonOf(job), lines),
  };
}

function reasonOf({ state }: Job): string | undefined {
  if ("failure" in state) return state.failure.message;
  return state.status === "cancelled" ? state.reason : undefined;
}

function beginning(text: string | undefined, lines: number): string | undefined {
  return text?.trim().split("\n").slice(0, lines).join("\n").slice(0, longestAnswer);
}
