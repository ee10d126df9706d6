import { setImmediate } from "node:timers/promises";
import { z } from "zod";
import { defined } from "../job/defined.ts";
import { LonghaulError } from "../job/error.ts";
import type { JobEvent } from "../job/event.ts";
import type { Job } from "../job/job.ts";
import { answerSchema, type AskedQuestion } from "../job/question.ts";
import { isHeld, isTerminal } from "../job/state.ts";
import { sayStatus } from "../job/status-words.ts";
import { summarise } from "../job/summarise.ts";
import type { JobFilter, StatusCount } from "../store/store.ts";
import { createPacer } from "../text/pacer.ts";
import { artifactSchema, showArtifact } from "./artifact.ts";
import { changedSchema, changeTargets, target } from "./change-many.ts";
import { filterSchema, toFilter } from "./filter.ts";
import { findJob } from "./job-reference.ts";
import { jobViewSchema, toJobView, type JobView } from "./job-view.ts";
import { defineOperation, type OperationContext } from "./operation.ts";

const reference = z.string().min(1).describe("Job id, the end of one, or a name.");

/** All that can be said about one job, with what only the live work and the queue know. */
export async function describeJob(job: Job, { engine, actor }: OperationContext): Promise<JobView> {
  const view = { ...toJobView(job), ...(await whyItWaits(job, { engine, actor })) };
  if (!isHeld(job.state)) return view;
  const live = await engine.inspect(job.id, actor);
  return { ...view, ...(Object.keys(live).length === 0 ? {} : { live }) };
}

/** What a queued job has to wait for, or what a waiting one asks. */
async function whyItWaits(
  job: Job,
  { engine, actor }: Pick<OperationContext, "engine" | "actor">,
): Promise<Pick<JobView, "reason" | "jobs_ahead" | "questions">> {
  const { status } = job.state;
  if (status === "queued") {
    const { reason, jobsAhead } = (await engine.diagnose(job.id, actor)) ?? {};
    return defined({ reason, jobs_ahead: jobsAhead });
  }
  return status === "waiting" ? askedBy(job, { engine, actor }) : {};
}

/** The questions of a job that nobody has answered yet. */
export async function askedBy(
  { id }: Job,
  { engine, actor }: Pick<OperationContext, "engine" | "actor">,
): Promise<Pick<JobView, "questions">> {
  const open = (await engine.questions(id, actor)).filter(({ answer }) => answer === undefined);
  return open.length === 0 ? {} : { questions: open.map(toAsked) };
}

function toAsked({ key, question, askedAt }: AskedQuestion): NonNullable<JobView["questions"]>[number] {
  return { key, ...question, asked_at: new Date(askedAt).toISOString() };
}

/** Jobs as lists show them. Some may be pruned between the two reads. */
export async function toListed(jobs: readonly Job[], { engine, actor }: OperationContext): Promise<JobView[]> {
  const inputs = await engine.inputs(jobs, actor);
  const kinds = new Map(engine.kinds.map((kind) => [kind.name, kind]));
  const pace = createPacer();
  const views: JobView[] = [];
  for (const job of jobs) {
    // Of a long one there is no need to hold many at once.
    const input = inputs.get(job.id) ?? (await engine.input(job.id, actor).catch(() => null));
    views.push({ ...toJobView(job), ...defined({ summary: summarise(input, kinds.get(job.kind)) }) });
    await pace();
  }
  return views;
}

export const jobGet = defineOperation({
  name: "job_get",
  scope: "read",
  description: "Show one job: its state, progress, error, questions, and what its live processes do.",
  input: z.strictObject({ id: reference }),
  output: jobViewSchema.extend({
    input: z.json(),
    result: z.json().optional(),
    artifacts: z.array(artifactSchema).optional().describe("The files that it has made."),
    submitted_by: z.string().optional().describe("Who started it, and through which door."),
    limits: z
      .object({
        queue_ms: z.int().optional(),
        run_ms: z.int().optional(),
        idle_ms: z.int().optional(),
        total_ms: z.int().optional(),
        grace_ms: z.int(),
      })
      .optional()
      .describe("Its limits of time; one that is absent does not apply."),
  }),
  run: async (context, { id }) => {
    const { engine, actor } = context;
    const job = await findJob(engine, id, actor);
    const payload = await engine.payload(job.id, actor);
    const artifacts = (await engine.artifacts(job.id, actor)).map(showArtifact);
    const { queueMs, runMs, idleMs, totalMs, graceMs } = job.limits;
    const limits = {
      grace_ms: graceMs,
      ...defined({ queue_ms: queueMs, run_ms: runMs, idle_ms: idleMs, total_ms: totalMs }),
    };
    const [submitted] = await engine.events(job.id, 0, 1, actor);
    const by = submitted?.type === "job-submitted" ? defined({ submitted_by: submitted.by }) : {};
    const view = Object.assign(await describeJob(job, context), payload, { limits }, by);
    return artifacts.length === 0 ? view : Object.assign(view, { artifacts });
  },
});

export const jobSummary = defineOperation({
  name: "job_summary",
  scope: "run",
  description: "Let a model sum up where a running agent stands, in a few sentences. Its tokens count as the job's.",
  input: z.strictObject({ id: reference }),
  output: z.object({ id: z.string(), summary: z.string() }),
  run: async ({ engine, actor }, { id }) => {
    const job = await findJob(engine, id, actor);
    return { id: job.id, summary: await engine.summarize(job.id, actor) };
  },
});

export const jobResult = defineOperation({
  name: "job_result",
  scope: "read",
  description: "Get what a succeeded job returned.",
  input: z.strictObject({ id: reference }),
  output: z.object({ id: z.string(), result: z.json() }),
  run: async ({ engine, actor }, { id }) => {
    const job = await findJob(engine, id, actor);
    return { id: job.id, result: await engine.result(job.id, actor) };
  },
});

export const jobList = defineOperation({
  name: "job_list",
  scope: "read",
  description: "List jobs, newest first, by state, kind, batch, schedule, tag, name, time or text.",
  input: filterSchema.extend({
    limit: z.int().min(1).max(1_000).default(20),
    cursor: z.string().optional().describe("From the page before."),
    explain: z.boolean().default(false).describe("Also tell why jobs are queued, and what they ask."),
  }),
  output: z.object({ jobs: z.array(jobViewSchema), cursor: z.string().optional() }),
  run: async (context, { limit, cursor, explain, ...filter }) => {
    const page = await context.engine.list(await toFilter(filter, context), { limit, cursor }, context.actor);
    const jobs = await toListed(page.jobs, context);
    const pace = createPacer();
    for (const [index, job] of page.jobs.entries()) {
      if (!explain) break;
      Object.assign(jobs[index] ?? {}, await whyItWaits(job, context).catch(() => ({})));
      await pace();
    }
    return { jobs, cursor: page.cursor };
  },
});

/** More are told as "and more": counting them takes as long as there are some. */
const maxCounted = 10_000;
const countedAtOnce = 2_500;

export const countSchema = z.object({ kind: z.string(), state: z.string(), count: z.int() });

export function toCounts(counts: readonly StatusCount[]): z.input<typeof countSchema>[] {
  return counts.map(({ kind, status, count }) => ({ kind, state: status, count }));
}

export const jobCount = defineOperation({
  name: "job_count",
  scope: "read",
  description: "Count jobs by kind and state: all, or those that match a filter.",
  input: filterSchema,
  output: z.object({
    counts: z.array(countSchema),
    total: z.int(),
    is_capped: z
      .boolean()
      .optional()
      .describe(`There are more: what has to be looked for is counted up to ${maxCounted}.`),
  }),
  run: async (context, input) => {
    const { counts, isCapped } = await countJobs(await toFilter(input, context), context);
    return {
      counts: toCounts(counts),
      total: counts.reduce((sum, { count }) => sum + count, 0),
      ...(isCapped ? { is_capped: true } : {}),
    };
  },
});

/** Numbers of all jobs, of an owner's, a kind's or a batch's are kept; any others are counted. */
async function countJobs(
  filter: JobFilter,
  { engine, actor }: OperationContext,
): Promise<{ readonly counts: readonly StatusCount[]; readonly isCapped: boolean }> {
  const { owner, kind, kinds = kind === undefined ? undefined : [kind], batch, status, ...others } = filter;
  if (Object.keys(others).length > 0) {
    const pieces: StatusCount[] = [];
    let cursor: string | undefined;
    // In pieces, between which others have their turn.
    for (let counted = 0; counted < maxCounted; counted += countedAtOnce) {
      const page = await engine.countMatching(filter, { limit: countedAtOnce, ...defined({ cursor }) }, actor);
      pieces.push(...page.counts);
      cursor = page.cursor;
      if (cursor === undefined) break;
      await setImmediate();
    }
    return { counts: addUp(pieces), isCapped: cursor !== undefined };
  }
  const counts = await engine.count(defined({ owner, kinds, batch }), actor);
  return { counts: counts.filter((count) => status?.includes(count.status) ?? true), isCapped: false };
}

function addUp(pieces: readonly StatusCount[]): StatusCount[] {
  const sums = new Map<string, StatusCount>();
  for (const { kind, status, count } of pieces) {
    const key = `${kind} ${status}`;
    sums.set(key, { kind, status, count: count + (sums.get(key)?.count ?? 0) });
  }
  return [...sums.values()];
}

/** What every event has; the rest follows from its type, and is told to programs as it is. */
export const eventSchema = z.looseObject({
  type: z.string(),
  jobId: z.string(),
  seq: z.int(),
  at: z.int().describe("In milliseconds since 1970."),
}) as z.ZodType as z.ZodType<JobEvent, JobEvent>;

export const jobEvents = defineOperation({
  name: "job_events",
  scope: "read",
  description: "Read what happened to a job, after a sequence number.",
  input: z.strictObject({
    id: reference,
    after: z.int().min(0).default(0),
    limit: z.int().min(1).max(1_000).default(200),
  }),
  output: z.object({ events: z.array(eventSchema) }),
  run: async ({ engine, actor }, { id, after, limit }) => {
    const job = await findJob(engine, id, actor);
    return { events: await engine.events(job.id, after, limit, actor) };
  },
});

export const jobSend = defineOperation({
  name: "job_send",
  scope: "run",
  description: "Send text to a running job's standard input, or end it.",
  input: z.strictObject({
    id: reference,
    text: z.string().max(1_000_000).optional().describe("Not needed to end the input."),
    newline: z.boolean().default(true).describe("End the text with a line end if it has none."),
    encoding: z
      .enum(["utf8", "base64"])
      .default("utf8")
      .describe("base64 for bytes that are no text; no line end is added."),
    end: z.boolean().default(false).describe("The input ends after the text, if there is any."),
    sender: z
      .string()
      .regex(/^[\w-]{1,64}$/, "expected 1 to 64 letters, digits, _ or -")
      .optional()
      .describe("A name for who sends, made up for this purpose: with an offset, what is sent again is taken once."),
    offset: z.int().min(0).optional().describe("How many bytes this sender has sent before."),
  }),
  output: z.object({
    id: z.string(),
    sent: z
      .int()
      .describe(
        "Bytes that were taken: with an offset maybe not all, if the command reads slowly. Send the rest again.",
      ),
  }),
  run: async ({ engine, actor }, { id, text, newline, encoding, end: isEnd, sender, offset }) => {
    if (text === undefined && !isEnd) {
      throw new LonghaulError("invalid_input", "text is required, unless end is true.", { details: { field: "text" } });
    }
    if ((sender === undefined) !== (offset === undefined)) {
      throw new LonghaulError("invalid_input", "Give both sender and offset, or neither.");
    }
    const job = await findJob(engine, id, actor);
    const isLine = newline && encoding === "utf8" && sender === undefined && text !== undefined && !text.endsWith("\n");
    const sent = `${text ?? ""}${isLine ? "\n" : ""}`;
    const bytes = Buffer.from(sent, encoding);
    if (sender !== undefined || isEnd || encoding === "base64") {
      return { id: job.id, sent: await engine.feed(job.id, { bytes, sender, offset, isEnd }, actor) };
    }
    await engine.send(job.id, sent, actor);
    return { id: job.id, sent: bytes.length };
  },
});

const windowLength = z.int().min(1).max(1_000).optional();

export const jobResize = defineOperation({
  name: "job_resize",
  scope: "run",
  description: "Give the window of a running job's terminal another size; without one, have it drawn anew.",
  input: z.strictObject({ id: reference, columns: windowLength, rows: windowLength }),
  output: z.object({ id: z.string() }),
  run: async ({ engine, actor }, { id, columns, rows }) => {
    if ((columns === undefined) !== (rows === undefined)) {
      throw new LonghaulError("invalid_input", "Give both columns and rows, or neither.");
    }
    const job = await findJob(engine, id, actor);
    await engine.resize(job.id, columns === undefined || rows === undefined ? undefined : { columns, rows }, actor);
    return { id: job.id };
  },
});

export const jobAnswer = defineOperation({
  name: "job_answer",
  scope: "run",
  description: "Answer a question that a job asks.",
  input: z.strictObject({
    id: reference,
    key: z.string().optional().describe("Which question; not needed if only one is open."),
    answer: answerSchema,
  }),
  output: jobViewSchema,
  run: async (context, { id, key, answer }) => {
    const { engine, actor } = context;
    const job = await findJob(engine, id, actor);
    if (isTerminal(job.state)) {
      throw new LonghaulError(
        "conflict",
        `Job ${job.id} has ended (it ${sayStatus(job.state.status)}), so it asks nothing any more.`,
      );
    }
    const open = (await engine.questions(job.id, actor)).filter((asked) => asked.answer === undefined);
    const [only] = open;
    const wanted = key ?? (open.length === 1 ? only?.key : undefined);
    if (wanted === undefined) {
      const keys = open.map((asked) => asked.key).join(", ");
      throw new LonghaulError(
        "invalid_input",
        keys === ""
          ? `Job ${job.id} has no open question.`
          : `Job ${job.id} asks more than one question: give the key (${keys}).`,
      );
    }
    return describeJob(await engine.answer(job.id, wanted, answer, actor), context);
  },
});

export const jobCancel = defineOperation({
  name: "job_cancel",
  scope: "run",
  description:
    "Cancel jobs. A running job stays running until its processes have ended. Finished jobs are left as they are.",
  input: z.strictObject({ ...target, reason: z.string().max(1_000).optional() }),
  output: changedSchema,
  run: (context, { reason, ...which }) =>
    changeTargets(context, which, {
      name: "cancel",
      states: ["queued", "running", "waiting"],
      change: (job) => context.engine.cancel(job.id, reason, context.actor),
    }),
});

export const jobRetry = defineOperation({
  name: "job_retry",
  scope: "run",
  description: "Run jobs again that failed, timed out or were cancelled: a new attempt of the same job.",
  input: z.strictObject(target),
  output: changedSchema,
  run: (context, which) =>
    changeTargets(context, which, {
      name: "retry",
      states: ["failed", "timed_out", "cancelled"],
      change: (job) => context.engine.retry(job.id, context.actor),
    }),
});
