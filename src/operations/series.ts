import { z } from "zod";
import { defined } from "../job/defined.ts";
import { durationAt, mergeDurations, type Durations } from "../job/durations.ts";
import type { Figures, Rollup } from "../store/rollup-store.ts";
import { createPacer } from "../text/pacer.ts";
import { defineOperation, type OperationContext } from "./operation.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** How long a stretch of time is shown in which steps, and of which rollups these are put together. */
const stretches = {
  "1h": { lastMs: hourMs, stepMs: minuteMs, spanMs: minuteMs },
  "6h": { lastMs: 6 * hourMs, stepMs: 5 * minuteMs, spanMs: minuteMs },
  "24h": { lastMs: dayMs, stepMs: 20 * minuteMs, spanMs: 10 * minuteMs },
  "7d": { lastMs: 7 * dayMs, stepMs: 2 * hourMs, spanMs: hourMs },
  "30d": { lastMs: 30 * dayMs, stepMs: 6 * hourMs, spanMs: hourMs },
  "90d": { lastMs: 90 * dayMs, stepMs: dayMs, spanMs: hourMs },
} as const;

const quantilesSchema = z.object({ p50_ms: z.int(), p95_ms: z.int(), p99_ms: z.int() });

const figuresSchema = z.object({
  ended: z.record(z.string(), z.int()).describe("How many jobs ended, by state."),
  wait: quantilesSchema.optional().describe("From submit to start, of jobs that ended at their first attempt."),
  run: quantilesSchema.optional().describe("From the start of the last attempt to the end."),
});

export const jobSeries = defineOperation({
  name: "job_series",
  scope: "read",
  description: "Tell how many jobs ended over time, and how long they waited and ran, in all and by kind.",
  input: z.strictObject({
    last: z.enum(Object.keys(stretches) as [keyof typeof stretches]).default("24h"),
    kind: z
      .union([z.string(), z.array(z.string()).min(1).max(50)])
      .transform((given) => [given].flat())
      .optional()
      .describe("One kind, or any of several."),
    owner: z.string().optional(),
  }),
  output: z.object({
    from: z.string(),
    step_ms: z.int(),
    points: z.array(figuresSchema.extend({ at: z.string().describe("Where the step begins.") })),
    total: figuresSchema,
    kinds: z.array(figuresSchema.extend({ kind: z.string() })),
  }),
  run: async (context, { last, kind: kinds, owner }) => {
    const { lastMs, stepMs, spanMs } = stretches[last];
    const now = Date.now();
    const from = (Math.floor((now - lastMs) / stepMs) + 1) * stepMs;
    const rollups = await context.engine.rollups(
      { spanMs, from, before: now + spanMs, ...defined({ kinds, owner }) },
      context.actor,
    );
    const steps = Array.from({ length: Math.floor((now - from) / stepMs) + 1 }, (_, index) => from + index * stepMs);
    const byStep = await sumUp(rollups, ({ at }) => Math.floor(at / stepMs) * stepMs);
    const byKind = await sumUp(rollups, ({ kind }) => kind);
    const all = await sumUp(rollups, () => "all");
    return {
      from: new Date(from).toISOString(),
      step_ms: stepMs,
      points: steps.map((at) => ({ at: new Date(at).toISOString(), ...show(byStep.get(at)) })),
      total: show(all.get("all")),
      kinds: [...byKind.keys()].toSorted().map((kind) => ({ kind, ...show(byKind.get(kind)) })),
    };
  },
});

/** How many jobs of each kind ended in the last hour and day, and how long those of the day ran. */
export async function sumUpDay(
  { engine, actor }: Pick<OperationContext, "engine" | "actor">,
  now: number,
): Promise<{ readonly hour: ReadonlyMap<string, Sum>; readonly day: ReadonlyMap<string, Sum> }> {
  const read = async (spanMs: number, lastMs: number): Promise<Map<string, Sum>> =>
    sumUp(await engine.rollups({ spanMs, from: now - lastMs, before: now + spanMs }, actor), ({ kind }) => kind);
  return { hour: await read(minuteMs, hourMs), day: await read(10 * minuteMs, dayMs) };
}

/** Figures that are being added up. */
export class Sum {
  readonly ended: Record<string, number> = {};
  waits: Durations = {};
  runs: Durations = {};

  get count(): number {
    return Object.values(this.ended).reduce((sum, count) => sum + count, 0);
  }

  add({ ends, waits, runs }: Figures): void {
    for (const [status, count] of Object.entries(ends)) this.ended[status] = (this.ended[status] ?? 0) + count;
    this.waits = mergeDurations(this.waits, waits);
    this.runs = mergeDurations(this.runs, runs);
  }
}

async function sumUp<Key>(rollups: readonly Rollup[], keyOf: (rollup: Rollup) => Key): Promise<Map<Key, Sum>> {
  const sums = new Map<Key, Sum>();
  const pace = createPacer();
  for (const rollup of rollups) {
    const sum = sums.get(keyOf(rollup)) ?? new Sum();
    sums.set(keyOf(rollup), sum);
    sum.add(rollup.figures);
    await pace();
  }
  return sums;
}

function show({ ended, waits, runs }: Sum = new Sum()): z.output<typeof figuresSchema> {
  return { ended, ...defined({ wait: quantiles(waits), run: quantiles(runs) }) };
}

function quantiles(durations: Durations): z.output<typeof quantilesSchema> | undefined {
  const at = (share: number): number => durationAt(durations, share) ?? 0;
  return Object.keys(durations).length === 0 ? undefined : { p50_ms: at(0.5), p95_ms: at(0.95), p99_ms: at(0.99) };
}
