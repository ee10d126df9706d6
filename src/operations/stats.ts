import { z } from "zod";
import { elapsedMs } from "../job/elapsed.ts";
import type { Job } from "../job/job.ts";
import { isTerminal, isTerminalStatus, jobStatuses } from "../job/state.ts";
import { createPacer } from "../text/pacer.ts";
import { defineOperation, type OperationContext } from "./operation.ts";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** So many of the newest finished jobs are looked at. */
const maxSampled = 5_000;
const pageSize = 500;

const durationsSchema = z.object({ p50_ms: z.int(), p95_ms: z.int() });

export const jobStats = defineOperation({
  name: "job_stats",
  scope: "read",
  description: "Sum up the jobs: how many are in each state, how many ended lately, and how long they ran.",
  input: z.strictObject({}),
  output: z.object({
    jobs: z.record(z.string(), z.int()).describe("How many jobs are in each state."),
    sampled: z.int().describe(`How many finished jobs the figures below are from: the newest ${maxSampled} at most.`),
    kinds: z.array(
      z.object({
        kind: z.string(),
        jobs: z.record(z.string(), z.int()).describe("How many jobs are in each state."),
        ended_last_hour: z.int(),
        ended_last_day: z.int(),
        running: durationsSchema.optional().describe("Time from the start of the last attempt to the end."),
      }),
    ),
  }),
  run: async (context) => {
    const counts = await context.engine.count({}, context.actor);
    const finished = await sampleFinished(context);
    const names = [...new Set(counts.map(({ kind }) => kind))].toSorted();
    const now = Date.now();
    return {
      jobs: addUp(counts),
      sampled: finished.length,
      kinds: names.map((kind) => ({
        kind,
        jobs: addUp(counts.filter((count) => count.kind === kind)),
        ...measure(
          finished.filter((job) => job.kind === kind),
          now,
        ),
      })),
    };
  },
});

function addUp(counts: readonly { status: string; count: number }[]): Record<string, number> {
  const totals: Record<string, number> = {};
  for (const { status, count } of counts) totals[status] = (totals[status] ?? 0) + count;
  return totals;
}

async function sampleFinished({ engine, actor }: OperationContext): Promise<Job[]> {
  const status = jobStatuses.filter(isTerminalStatus);
  const pace = createPacer();
  const found: Job[] = [];
  let cursor: string | undefined;
  do {
    const page = await engine.list({ status }, { limit: pageSize, cursor }, actor);
    found.push(...page.jobs);
    cursor = page.cursor;
    await pace();
  } while (cursor !== undefined && found.length < maxSampled);
  return found;
}

interface Measured {
  readonly ended_last_hour: number;
  readonly ended_last_day: number;
  readonly running?: z.output<typeof durationsSchema>;
}

function measure(jobs: readonly Job[], now: number): Measured {
  const ended = jobs.flatMap(({ state }) => (isTerminal(state) ? [state] : []));
  const since = (ageMs: number): number => ended.filter(({ finishedAt }) => finishedAt > now - ageMs).length;
  const durations = ended
    .flatMap(({ startedAt, finishedAt }) => (startedAt === undefined ? [] : [elapsedMs(startedAt, finishedAt)]))
    .toSorted((one, other) => one - other);
  const at = (share: number): number => durations[Math.ceil(share * durations.length) - 1] ?? 0;
  const running = durations.length === 0 ? {} : { running: { p50_ms: at(0.5), p95_ms: at(0.95) } };
  return { ended_last_hour: since(hourMs), ended_last_day: since(dayMs), ...running };
}
