import { z } from "zod";
import { defined } from "../job/defined.ts";
import { LonghaulError } from "../job/error.ts";
import type { Job } from "../job/job.ts";
import { jobStatuses, type JobStatus } from "../job/state.ts";
import { createPacer } from "../text/pacer.ts";
import { filterWords, parseFilterText } from "./filter-text.ts";
import { findJob } from "./job-reference.ts";
import type { JobFilter } from "../store/store.ts";
import type { OperationContext } from "./operation.ts";

const instant = z.iso.datetime({ offset: true });

const oneOrMore = z.union([z.string(), z.array(z.string()).min(1).max(50)]).transform((given) => [given].flat());

/** Which jobs: the same filter lists them and is the target of an action on all of them. */
export const filterSchema = z.strictObject({
  q: z
    .string()
    .max(2_000)
    .optional()
    .describe(`The filter as one text: ${filterWords.map((name) => `${name}:`).join(" ")} and words to find.`),
  state: z.array(z.enum(jobStatuses)).min(1).optional(),
  kind: oneOrMore.optional().describe("One kind, or any of several."),
  owner: z.string().optional(),
  batch: z.string().optional(),
  parent: z.string().optional().describe("Started by this job: its id, the end of it, or its name."),
  schedule: z.string().optional().describe("Started by this schedule: its name or id."),
  tag: oneOrMore.optional().describe("One tag, or all of several."),
  name: z.string().optional(),
  text: z.string().max(1_000).optional().describe("Words in the name, the input or the last error."),
  created_from: instant.optional(),
  created_before: instant.optional(),
  finished_from: instant.optional(),
  finished_before: instant.optional(),
});

export type FilterInput = z.output<typeof filterSchema>;

type Asker = Pick<OperationContext, "engine" | "actor">;

export async function toFilter(input: FilterInput, { engine, actor }: Asker): Promise<JobFilter> {
  const { state, kind, owner, batch, parent, schedule, tag, name, text, ...times } = withText(input);
  const kinds = kind?.length === 1 ? { kind: kind[0] } : { kinds: kind };
  return defined({
    status: state,
    ...kinds,
    owner,
    batch,
    parent: parent === undefined ? undefined : (await findJob(engine, parent, actor)).id,
    schedule: schedule === undefined ? undefined : (await engine.schedules.get(schedule, actor)).id,
    tags: tag,
    name,
    text,
    createdFrom: toTime(times.created_from),
    createdBefore: toTime(times.created_before),
    finishedFrom: toTime(times.finished_from),
    finishedBefore: toTime(times.finished_before),
  });
}

/** The fields, with what the filter says as one text. */
function withText({ q, ...fields }: FilterInput): FilterInput {
  if (q === undefined) return fields;
  const told = parseFilterText(q, Date.now());
  const twice = Object.keys(told).find((name) => Object.hasOwn(defined(fields), name));
  if (twice === undefined) return { ...fields, ...told };
  throw new LonghaulError("invalid_input", `${twice} is given twice: in q and by itself.`, {
    details: { field: twice },
  });
}

function toTime(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Date.parse(text);
}

/** Few enough to be changed in one commit that nobody has to wait for. */
const pageSize = 200;
const countedAtOnce = 2_500;

/**
 * All jobs that match and are in one of these states, page by page, for an action on them. An empty filter is refused, because it
 * would mean every job.
 */
export async function* listMatching(
  input: FilterInput,
  states: readonly JobStatus[],
  context: OperationContext,
): AsyncGenerator<readonly Job[]> {
  const filter = await toActionFilter(input, states, context);
  let cursor: string | undefined;
  do {
    const page = await context.engine.list(filter, { limit: pageSize, cursor }, context.actor);
    yield page.jobs;
    cursor = page.cursor;
  } while (cursor !== undefined);
}

/** How many jobs `listMatching` would go through. */
export async function countAll(
  input: FilterInput,
  states: readonly JobStatus[],
  context: OperationContext,
): Promise<number> {
  const filter = await toActionFilter(input, states, context);
  const pace = createPacer();
  let total = 0;
  let cursor: string | undefined;
  do {
    const page = await context.engine.countMatching(
      filter,
      { limit: countedAtOnce, ...defined({ cursor }) },
      context.actor,
    );
    total += page.counts.reduce((sum, { count }) => sum + count, 0);
    cursor = page.cursor;
    await pace();
  } while (cursor !== undefined);
  return total;
}

async function toActionFilter(
  input: FilterInput,
  states: readonly JobStatus[],
  context: OperationContext,
): Promise<JobFilter> {
  const asked = withText(input);
  if (Object.keys(defined(asked)).length === 0) {
    throw new LonghaulError(
      "invalid_input",
      "The filter is empty: say which jobs, by state, kind, owner, batch, parent, schedule, tag, name, text or time.",
    );
  }
  const status = states.filter((state) => asked.state?.includes(state) ?? true);
  return { ...(await toFilter(asked, context)), status };
}
