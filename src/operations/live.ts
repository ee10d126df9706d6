import { z } from "zod";
import { defined } from "../job/defined.ts";
import { LonghaulError } from "../job/error.ts";
import type { Job } from "../job/job.ts";
import { filterSchema, toFilter, type FilterInput } from "./filter.ts";
import { countSchema, describeJob, eventSchema, toCounts, toListed } from "./job.ts";
import { findJob } from "./job-reference.ts";
import { jobViewSchema } from "./job-view.ts";
import { defineOperation, type OperationContext } from "./operation.ts";
import { jobOutput, outputSchema } from "./output.ts";

const maxEvents = 500;
const maxOutput = 256_000;

const outputPart = outputSchema
  .omit({ id: true, matches: true, note: true, offsets: true })
  .extend({ attempt: z.int() })
  .describe("What the job has written since.");

const inputSchema = filterSchema.extend({
  cursor: z.string().max(200).optional().describe("From the answer before; without one, from now on."),
  jobs: z.boolean().default(true).describe("Tell the jobs that change."),
  counts: z.boolean().default(false).describe("Tell how many jobs are in each state whenever some have changed."),
  job: z
    .string()
    .min(1)
    .optional()
    .describe("Tell this job's events and output too: its id, the end of it, or its name."),
  stream: z.string().default("merged").describe("Which output of that job."),
  after: z.int().min(0).default(0).describe("The number of the event after which to begin; only without a cursor."),
  attempt: z.int().min(1).optional().describe("The attempt with whose output to begin; only without a cursor."),
  from: z.int().min(0).default(0).describe("The offset at which to begin; only without a cursor."),
  wait_ms: z.int().min(0).max(60_000).default(15_000).describe("Wait so long until there is something new."),
});

const newsSchema = z.object({
  cursor: z.string(),
  reset: z
    .boolean()
    .optional()
    .describe("The cursor is too old, or of a server that has ended: list again. A job's events and output go on."),
  jobs: z.array(jobViewSchema).optional().describe("Jobs that changed and match the filter, the latest change first."),
  gone: z.array(z.string()).optional().describe("Jobs that changed and match no more, or were removed."),
  more: z.int().optional().describe("How many more changed and match: list again to see them."),
  counts: z.array(countSchema).optional(),
  view: jobViewSchema.optional().describe("The one job, if it has changed."),
  events: z.array(eventSchema).optional(),
  output: outputPart.optional(),
});

export const liveRead = defineOperation({
  name: "live_read",
  scope: "read",
  description:
    "Follow all jobs that match a filter, their numbers, and one job's events and output: what is new since a cursor.",
  input: inputSchema,
  output: newsSchema,
  run: async (context, input) => {
    const { engine, signal } = context;
    const endsAt = performance.now() + input.wait_ms;
    const start = input.cursor === undefined ? await firstPlace(context, input) : parsePlace(input.cursor);
    for (;;) {
      const { place, ...news } = await look(context, input, start);
      const leftMs = endsAt - performance.now();
      const isDone =
        input.cursor === undefined || Object.keys(news).length > 0 || leftMs <= 0 || signal?.aborted === true;
      if (isDone) return { cursor: formatPlace(place), ...news };
      await engine.nextChange(leftMs, signal);
    }
  },
});

type LiveInput = z.output<typeof inputSchema>;
type News = Omit<z.input<typeof newsSchema>, "cursor">;

/** Where a reader is: among the changes of all jobs, and in the events and the output of one. */
interface Place {
  readonly changes?: string;
  readonly job?: JobPlace;
}

interface JobPlace {
  readonly after: number;
  readonly attempt: number;
  readonly from: number;
}

async function firstPlace(
  { engine, actor }: OperationContext,
  { job, after, attempt, from }: LiveInput,
): Promise<Place> {
  if (job === undefined) return {};
  const { state } = await findJob(engine, job, actor);
  return { job: { after, attempt: attempt ?? state.attempt, from } };
}

async function look(context: OperationContext, input: LiveInput, start: Place): Promise<{ place: Place } & News> {
  const { engine, actor } = context;
  const filter = await toFilter(filterOf(input), context);
  const {
    place: changes,
    isReset,
    jobs,
    gone,
    more,
  } = await engine.changes({ ...defined({ place: start.changes }), filter: input.jobs ? filter : {} }, actor);
  const hasMoved = changes !== start.changes;
  const job =
    input.job === undefined || start.job === undefined
      ? undefined
      : await lookAtJob(context, input, start.job, hasMoved);
  return {
    place: { changes, ...(job === undefined ? {} : { job: job.place }) },
    ...(isReset ? { reset: true } : {}),
    ...(input.jobs && jobs.length > 0 ? { jobs: await toListed(jobs, context) } : {}),
    ...(input.jobs && gone.length > 0 ? { gone: [...gone] } : {}),
    ...(input.jobs && more > 0 ? { more } : {}),
    ...(input.counts && hasMoved ? { counts: toCounts(await engine.count({}, actor)) } : {}),
    ...job?.news,
  };
}

function filterOf(input: LiveInput): FilterInput {
  const {
    cursor: _c,
    jobs: _j,
    counts: _n,
    job: _i,
    stream: _s,
    after: _a,
    attempt: _t,
    from: _f,
    wait_ms: _w,
    ...filter
  } = input;
  return filter;
}

/** A job that is gone has nothing new: that it is gone is told among the changes. */
async function lookAtJob(
  context: OperationContext,
  input: LiveInput,
  place: JobPlace,
  mayHaveChanged: boolean,
): Promise<{ place: JobPlace; news: News }> {
  try {
    const job = await findJob(context.engine, input.job ?? "", context.actor);
    const events =
      job.lastSeq > place.after ? await context.engine.events(job.id, place.after, maxEvents, context.actor) : [];
    const { output, next } = await readOutput(context, input.stream, job, place);
    return {
      place: { ...next, after: events.at(-1)?.seq ?? place.after },
      news: {
        ...(events.length > 0 ? { events } : {}),
        ...(events.length > 0 || mayHaveChanged ? { view: await describeJob(job, context) } : {}),
        ...(output === undefined ? {} : { output }),
      },
    };
  } catch (error) {
    if (error instanceof LonghaulError && ["not_found", "expired"].includes(error.code)) return { place, news: {} };
    throw error;
  }
}

async function readOutput(
  context: OperationContext,
  stream: string,
  { id, state }: Job,
  place: JobPlace,
): Promise<{ readonly output?: z.input<typeof outputPart>; readonly next: JobPlace }> {
  const { attempt, from } = place;
  const {
    text,
    next,
    size,
    dropped,
    is_complete,
    from: first,
  } = await jobOutput.call(context, {
    id,
    stream,
    attempt,
    from,
    limit: maxOutput,
  });
  const isOver = is_complete && state.attempt > attempt;
  return {
    next: isOver ? { ...place, attempt: attempt + 1, from: 0 } : { ...place, from: next },
    ...(text === "" && next === from
      ? {}
      : { output: { attempt, text, from: first, next, size, dropped, is_complete } }),
  };
}

function formatPlace({ changes = "", job }: Place): string {
  return job === undefined ? changes : `${changes}/${job.after}/${job.attempt}/${job.from}`;
}

function parsePlace(cursor: string): Place {
  const [, changes, after, attempt, from] =
    /^([\da-f]{8}:\d{1,15})(?:\/(\d{1,15})\/(\d{1,9})\/(\d{1,15}))?$/.exec(cursor) ?? [];
  if (changes === undefined)
    throw new LonghaulError("invalid_input", `The cursor "${cursor}" is not one that was told.`);
  return after === undefined
    ? { changes }
    : { changes, job: { after: Number(after), attempt: Number(attempt), from: Number(from) } };
}
