import { z } from "zod";
import { cronSchema, everySchema, scheduleNameSchema, timeZoneSchema } from "../engine/schedules/schedule-request.ts";
import { defined } from "../job/defined.ts";
import { LonghaulError } from "../job/error.ts";
import { jobStatuses } from "../job/state.ts";
import { missedPolicies, skipReasons, type Schedule, type ScheduleRun } from "../store/schedule-store.ts";
import { startedJobSchema, toStartedJob } from "./job-view.ts";
import { summarise } from "../job/summarise.ts";
import { defineOperation, type OperationContext } from "./operation.ts";
import { startOperationOf, type StartOperation } from "./start.ts";

const runSchema = z.object({
  planned_at: z.string().optional().describe("Absent if it was run by hand."),
  at: z.string().describe("When it was seen to."),
  state: z.enum([...jobStatuses, "skipped"]),
  job_id: z.string().optional(),
  ended_at: z.string().optional(),
  skipped: z
    .enum(skipReasons)
    .optional()
    .describe("missed: the server did not run; overlap: the run before was not over; refused: see the reason."),
  reason: z.string().optional(),
});

const scheduleSchema = z.object({
  id: z.string(),
  name: z.string(),
  owner: z.string(),
  state: z.enum(["active", "paused"]),
  kind: z.string(),
  summary: z.string().optional().describe("The beginning of what it runs."),
  cron: z.string().optional(),
  tz: z.string().optional(),
  every_ms: z.int().optional(),
  missed: z.enum(missedPolicies),
  overlap: z.boolean(),
  next_at: z.string().optional().describe("Absent while it is paused."),
  paused_at: z.string().optional(),
  pause_reason: z.string().optional().describe("Where nobody asked for the pause."),
  created_at: z.string(),
  created_by: z.string().optional(),
  counts: z
    .object({ runs: z.int(), missed: z.int(), overlap: z.int(), refused: z.int() })
    .describe("How many of its times came to a job, and how many did not and why."),
  last: runSchema.optional().describe("What came of its last time; only in lists and in detail."),
});

const shownTimes = 5;
const shownRuns = 10;

const detailedSchema = scheduleSchema.extend({
  input: z.json(),
  next: z.array(z.string()).describe(`The next ${shownTimes} times.`),
  runs: z.array(runSchema).describe(`What came of its last ${shownRuns} times, the newest first.`),
});

export type ScheduleView = z.output<typeof scheduleSchema>;
export type ScheduleRunView = z.output<typeof runSchema>;

const reference = { schedule: z.string().min(1).describe("Its name or id.") };

export const scheduleAdd = defineOperation({
  name: "schedule_add",
  scope: "run",
  description: "Start a job again and again, by a cron line or every so often, for as long as the schedule is there.",
  input: z.strictObject({
    name: scheduleNameSchema.describe("What it is called; its jobs are called so too."),
    cron: cronSchema
      .optional()
      .describe('Minute, hour, day of the month, month, weekday, such as "0 3 * * *"; or @daily and the like.'),
    tz: timeZoneSchema
      .optional()
      .describe("The time zone of the cron line, such as Europe/Berlin; the server's unless given."),
    every_ms: everySchema.optional().describe("Every so often, counted from now, instead of a cron line."),
    missed: z
      .enum(missedPolicies)
      .optional()
      .describe(
        "Times at which the server did not run: skip them, run once (default), or run all, one after the other.",
      ),
    overlap: z.boolean().optional().describe("Start though the run before is not over; else such a time is skipped."),
    start: z
      .string()
      .default("run_command")
      .describe("The operation that starts the job, such as crawl_site: see kind_list."),
    input: z.record(z.string(), z.unknown()).describe("What that operation takes, such as a command."),
  }),
  output: detailedSchema,
  run: async (context, { start, input, every_ms: everyMs, ...request }) => {
    const { engine, actor } = context;
    const job = await findStart(start, context).toRequest(context, input);
    const schedule = await engine.schedules.add({ ...request, everyMs, job }, actor);
    return describeSchedule(schedule, context);
  },
});

export const scheduleList = defineOperation({
  name: "schedule_list",
  scope: "read",
  description: "List schedules, with their next time and what came of the last one.",
  input: z.strictObject({}),
  output: z.object({ schedules: z.array(scheduleSchema) }),
  run: async (context) => {
    const { engine, actor } = context;
    const schedules = await engine.schedules.list(actor);
    const views = schedules.map(async (schedule) => {
      const [last] = await engine.schedules.runs(schedule.id, 1, actor);
      return toView(schedule, context, last);
    });
    return { schedules: await Promise.all(views) };
  },
});

export const scheduleGet = defineOperation({
  name: "schedule_get",
  scope: "read",
  description: "Show one schedule: its next times, its last runs, and which times were skipped and why.",
  input: z.strictObject(reference),
  output: detailedSchema,
  run: async (context, { schedule }) =>
    describeSchedule(await context.engine.schedules.get(schedule, context.actor), context),
});

export const schedulePause = defineOperation({
  name: "schedule_pause",
  scope: "run",
  description: "Pause a schedule. Times that pass meanwhile are not made up for.",
  input: z.strictObject(reference),
  output: scheduleSchema,
  run: async (context, { schedule }) => toView(await context.engine.schedules.pause(schedule, context.actor), context),
});

export const scheduleResume = defineOperation({
  name: "schedule_resume",
  scope: "run",
  description: "Let a paused schedule go on, with its next time from now.",
  input: z.strictObject(reference),
  output: scheduleSchema,
  run: async (context, { schedule }) => toView(await context.engine.schedules.resume(schedule, context.actor), context),
});

export const scheduleRun = defineOperation({
  name: "schedule_run",
  scope: "run",
  description: "Start the job of a schedule now. Its plan stays as it is.",
  input: z.strictObject({ ...reference, idempotency_key: z.string().min(1).max(150).optional() }),
  output: startedJobSchema,
  run: async ({ engine, actor }, { schedule, idempotency_key: key }) =>
    toStartedJob(await engine.schedules.run(schedule, actor, key)),
});

export const scheduleDelete = defineOperation({
  name: "schedule_delete",
  scope: "run",
  description: "Delete a schedule. Jobs that it has started are left as they are.",
  input: z.strictObject(reference),
  output: scheduleSchema,
  run: async (context, { schedule }) => toView(await context.engine.schedules.remove(schedule, context.actor), context),
});

/** The operation that starts jobs under this name, of any kind that the server has. */
function findStart(name: string, { engine }: OperationContext): StartOperation {
  const starts = engine.kinds.flatMap(({ name: kind, verbs }) => verbs.map((verb) => ({ kind, verb })));
  const found = starts.find(({ verb }) => verb.name === name.replaceAll("-", "_"));
  if (found !== undefined) return startOperationOf(found.kind, found.verb);
  const known = starts.map(({ verb }) => verb.name).join(", ");
  throw new LonghaulError("invalid_input", `start must be one of ${known}, got ${JSON.stringify(name)}.`, {
    details: { field: "start" },
  });
}

type DetailedView = z.input<typeof detailedSchema>;

async function describeSchedule(schedule: Schedule, context: OperationContext): Promise<DetailedView> {
  const { engine, actor } = context;
  // By its id: another owner may have one of its name.
  const runs = await engine.schedules.runs(schedule.id, shownRuns, actor);
  return {
    ...toView(schedule, context, runs[0]),
    input: schedule.input,
    next: engine.schedules.nextTimes(schedule, shownTimes).map(toIso),
    runs: runs.map(toRunView),
  };
}

function toView(schedule: Schedule, { engine }: OperationContext, last?: ScheduleRun): ScheduleView {
  const { id, name, owner, kind, plan, missed, overlap, pause, nextAt, counts } = schedule;
  return {
    id,
    name,
    owner,
    state: pause === undefined ? "active" : "paused",
    kind,
    ...("cron" in plan ? plan : { every_ms: plan.everyMs }),
    missed,
    overlap,
    created_at: toIso(schedule.createdAt),
    counts,
    ...defined({
      summary: summarise(
        schedule.input,
        engine.kinds.find((each) => each.name === kind),
      ),
      next_at: nextAt === undefined ? undefined : toIso(nextAt),
      paused_at: pause && toIso(pause.at),
      pause_reason: pause?.reason,
      created_by: schedule.createdBy,
      last: last && toRunView(last),
    }),
  };
}

function toRunView(run: ScheduleRun): ScheduleRunView {
  const when = {
    at: toIso(run.at),
    ...defined({ planned_at: run.plannedAt === undefined ? undefined : toIso(run.plannedAt) }),
  };
  if (run.status === "skipped")
    return { ...when, state: run.status, skipped: run.skip, ...defined({ reason: run.reason }) };
  const endedAt = run.endedAt === undefined ? undefined : toIso(run.endedAt);
  return { ...when, state: run.status, job_id: run.jobId, ...defined({ ended_at: endedAt }) };
}

function toIso(atMs: number): string {
  return new Date(atMs).toISOString();
}
