import { z } from "zod";
import type { Job } from "../job/job.ts";
import { isTerminal } from "../job/state.ts";
import { createPacer } from "../text/pacer.ts";
import { filterSchema, toFilter } from "./filter.ts";
import { defineOperation, type OperationContext } from "./operation.ts";

/** So many of the newest failures are looked at. */
const maxSampled = 500;
const pageSize = 250;
/** As many as an action on ids takes. */
const maxIds = 1_000;

const groupSchema = z.object({
  kind: z.string(),
  code: z.string(),
  message: z.string().describe("Of the latest of them; what differs among them is numbers."),
  count: z.int(),
  first_at: z.string(),
  last_at: z.string(),
  ids: z.array(z.string()).describe(`The newest first, at most ${maxIds}.`),
});

export const jobFailures = defineOperation({
  name: "job_failures",
  scope: "read",
  description: "Group the jobs that failed or timed out, and were not retried since, by kind and by what went wrong.",
  input: filterSchema.omit({ state: true }).extend({ limit: z.int().min(1).max(100).default(20) }),
  output: z.object({
    groups: z.array(groupSchema),
    sampled: z.int().describe(`How many were looked at: the newest ${maxSampled} at most.`),
    is_capped: z.boolean().optional().describe("There are more."),
  }),
  run: async (context, { limit, ...filter }) => {
    const { jobs, isCapped } = await findFailed(context, filter);
    const groups = new Map<string, Group>();
    for (const job of jobs) {
      if (!("failure" in job.state)) continue;
      const { code, message } = job.state.failure;
      const key = JSON.stringify([job.kind, code, withoutNumbers(message)]);
      const group = groups.get(key) ?? { kind: job.kind, code, message, jobs: [] };
      group.jobs.push(job);
      groups.set(key, group);
    }
    const shown = [...groups.values()].toSorted((one, other) => other.jobs.length - one.jobs.length).slice(0, limit);
    return { groups: shown.map(showGroup), sampled: jobs.length, ...(isCapped ? { is_capped: true } : {}) };
  },
});

interface Group {
  readonly kind: string;
  readonly code: string;
  readonly message: string;
  readonly jobs: Job[];
}

function showGroup({ kind, code, message, jobs }: Group): z.input<typeof groupSchema> {
  const ends = jobs.flatMap(({ state }) => (isTerminal(state) ? [state.finishedAt] : []));
  return {
    kind,
    code,
    message,
    count: jobs.length,
    first_at: new Date(Math.min(...ends)).toISOString(),
    last_at: new Date(Math.max(...ends)).toISOString(),
    ids: jobs.slice(0, maxIds).map(({ id }) => id),
  };
}

async function findFailed(
  context: OperationContext,
  filter: Parameters<typeof toFilter>[0],
): Promise<{ readonly jobs: readonly Job[]; readonly isCapped: boolean }> {
  const { engine, actor } = context;
  const wanted = { ...(await toFilter(filter, context)), status: ["failed", "timed_out"] as const };
  const pace = createPacer();
  const jobs: Job[] = [];
  let cursor: string | undefined;
  do {
    const page = await engine.list(wanted, { limit: pageSize, cursor }, actor);
    jobs.push(...page.jobs);
    cursor = page.cursor;
    await pace();
  } while (cursor !== undefined && jobs.length < maxSampled);
  return { jobs, isCapped: cursor !== undefined };
}

/** The same failure often names another process, line or id. */
function withoutNumbers(message: string): string {
  return message.slice(0, 500).replaceAll(/\b[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b|0x[\da-f]+|\d+/gi, "#");
}
