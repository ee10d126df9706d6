import { z } from "zod";
import { durationAt } from "../job/durations.ts";
import { defineOperation } from "./operation.ts";
import { Sum, sumUpDay } from "./series.ts";

const durationsSchema = z.object({ p50_ms: z.int(), p95_ms: z.int() });

export const jobStats = defineOperation({
  name: "job_stats",
  scope: "read",
  description: "Sum up the jobs: how many are in each state, how many ended lately, and how long they ran.",
  input: z.strictObject({}),
  output: z.object({
    jobs: z.record(z.string(), z.int()).describe("How many jobs are in each state."),
    kinds: z.array(
      z.object({
        kind: z.string(),
        jobs: z.record(z.string(), z.int()).describe("How many jobs are in each state."),
        ended_last_hour: z.int(),
        ended_last_day: z.int(),
        running: durationsSchema
          .optional()
          .describe("Of those of the last day: time from the start of the last attempt to the end, to a few percent."),
      }),
    ),
  }),
  run: async (context) => {
    const counts = await context.engine.count({}, context.actor);
    const { hour, day } = await sumUpDay(context, Date.now());
    const names = [...new Set([...counts.map(({ kind }) => kind), ...day.keys()])].toSorted();
    return {
      jobs: addUp(counts),
      kinds: names.map((kind) => ({
        kind,
        jobs: addUp(counts.filter((count) => count.kind === kind)),
        ended_last_hour: hour.get(kind)?.count ?? 0,
        ended_last_day: day.get(kind)?.count ?? 0,
        ...showRunning(day.get(kind)),
      })),
    };
  },
});

function addUp(counts: readonly { status: string; count: number }[]): Record<string, number> {
  const totals: Record<string, number> = {};
  for (const { status, count } of counts) totals[status] = (totals[status] ?? 0) + count;
  return totals;
}

function showRunning({ runs }: Sum = new Sum()): { running?: z.output<typeof durationsSchema> } {
  const [half, most] = [durationAt(runs, 0.5), durationAt(runs, 0.95)];
  return half === undefined || most === undefined ? {} : { running: { p50_ms: half, p95_ms: most } };
}
