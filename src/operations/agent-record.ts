import { z } from "zod";

/** What an agent was asked to do, as far as it is shown: what has another shape shows nothing. */
export const agentRequestSchema = z
  .object({
    task: z.string().default(""),
    models: z.array(z.string()).default([]),
    readOnly: z.boolean().default(false),
  })
  .catch({ task: "", models: [], readOnly: false });

/** What it returned, likewise. */
export const agentAnswerSchema = z
  .object({
    output: z.string(),
    data: z.json(),
    model: z.string(),
    steps: z.int(),
    cost_usd: z.number(),
    tokens: z.object({ input: z.int(), output: z.int() }),
  })
  .partial()
  .catch({});
