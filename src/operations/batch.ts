import { z } from "zod";
import { defined } from "../job/defined.ts";
import { LonghaulError } from "../job/error.ts";
import { isTerminalStatus } from "../job/state.ts";
import { defineOperation, type OperationContext } from "./operation.ts";

const batchSchema = z.object({
  batch: z.string(),
  total: z.int(),
  finished: z.int(),
  percent: z.int().describe("How many of a hundred jobs have ended."),
  jobs: z.record(z.string(), z.int()).describe("How many jobs are in each state."),
});

export const batchList = defineOperation({
  name: "batch_list",
  scope: "read",
  description: "List batches by name, with how far each has come.",
  input: z.strictObject({
    limit: z.int().min(1).max(200).default(20),
    cursor: z.string().optional().describe("From the page before."),
  }),
  output: z.object({ batches: z.array(batchSchema), cursor: z.string().optional() }),
  run: async (context, { limit, cursor }) => {
    const names = await context.engine.batches({ limit: limit + 1, after: cursor }, context.actor);
    const shown = names.slice(0, limit);
    const batches = await Promise.all(shown.map((name) => measureBatch(name, context)));
    return { batches, ...(names.length > limit ? defined({ cursor: shown.at(-1) }) : {}) };
  },
});

export const batchGet = defineOperation({
  name: "batch_get",
  scope: "read",
  description: "Show how far a batch has come: its jobs by state.",
  input: z.strictObject({ batch: z.string().min(1) }),
  output: batchSchema,
  run: async (context, { batch }) => {
    const measured = await measureBatch(batch, context);
    if (measured.total === 0) throw new LonghaulError("not_found", `There is no batch "${batch}".`);
    return measured;
  },
});

async function measureBatch(batch: string, { engine, actor }: OperationContext): Promise<z.output<typeof batchSchema>> {
  const jobs: Record<string, number> = {};
  let total = 0;
  let finished = 0;
  for (const { status, count } of await engine.count({ batch }, actor)) {
    jobs[status] = (jobs[status] ?? 0) + count;
    total += count;
    if (isTerminalStatus(status)) finished += count;
  }
  return { batch, total, finished, percent: total === 0 ? 0 : Math.floor((100 * finished) / total), jobs };
}
