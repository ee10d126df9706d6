import { z } from "zod";
import type { Job, ScheduleMark } from "../job/job.ts";
import { notifyOccasions } from "../job/notify.ts";
import { questionSchema } from "../job/question.ts";
import { exitCodeOf, isHeld, isTerminal, jobStatuses, type TerminalState } from "../job/state.ts";
import { webhookOccasions } from "../job/webhook.ts";

/** A job as every face shows it. Times are ISO 8601; a field that does not apply is absent. */
export const jobViewSchema = z.object({
  id: z.string(),
  kind: z.string(),
  state: z.enum(jobStatuses),
  name: z.string().optional(),
  summary: z.string().optional().describe("The beginning of what it runs; only in lists."),
  owner: z.string(),
  cwd: z.string().optional().describe("The folder that it works in."),
  place: z.string().optional().describe("The machine that it is pinned to, or the label of one."),
  batch: z.string().optional(),
  parent: z.string().optional().describe("The job that started it."),
  after: z.array(z.string()).optional().describe("The jobs that had to succeed before."),
  priority: z.int().optional().describe("Unless it is 0; higher runs first."),
  schedule: z.string().optional().describe("The name of the schedule that started it."),
  planned_at: z.string().optional().describe("The time of that schedule; absent if it was run by hand."),
  tags: z.array(z.string()).optional(),
  attempt: z.int(),
  attempts: z.int().describe("How many attempts the job may have."),
  created_at: z.string(),
  started_at: z.string().optional(),
  finished_at: z.string().optional(),
  run_at: z.string().optional().describe("When a queued job may start."),
  expires_at: z.string().optional().describe("Until when a finished job is kept."),
  progress: z
    .object({
      percent: z.number().optional(),
      phase: z.string().optional(),
      message: z.string().optional(),
      done: z.number().optional(),
      total: z.number().optional(),
      tokens: z.number().optional().describe("Of language models, used so far."),
    })
    .optional(),
  exit_code: z.int().nullable().optional(),
  error: z.object({ code: z.string(), message: z.string() }).optional(),
  partial: z.boolean().optional(),
  reason: z.string().optional().describe("Why the job was cancelled, or why it is still queued."),
  jobs_ahead: z.int().optional().describe("How many jobs of its kind start before a queued one, up to a thousand."),
  cancel_requested: z.boolean().optional(),
  stalled_since: z.string().optional(),
  questions: z
    .array(
      z.object({
        key: z.string(),
        message: z.string(),
        form: questionSchema.shape.form,
        asked_at: z.string().optional(),
      }),
    )
    .optional(),
  webhook: z
    .object({ url: z.string().describe("Without its query."), on: z.array(z.enum(webhookOccasions)) })
    .optional(),
  notify: z
    .object({
      to: z.array(z.string()).describe("Without the paths of addresses."),
      on: z.array(z.enum(notifyOccasions)),
      only_after_ms: z.int().optional().describe("The end is told only if the job took this long."),
    })
    .optional(),
  live: z.record(z.string(), z.json()).optional().describe("What only a look at the running work can tell."),
});

export type JobView = z.infer<typeof jobViewSchema>;

/** The job that a start has made, or found. */
export const startedJobSchema = jobViewSchema.extend({
  is_known: z.boolean().optional().describe("The idempotency key was known: the job was there before."),
});

export function toStartedJob({
  job,
  isDuplicate,
}: {
  job: Job;
  isDuplicate: boolean;
}): z.infer<typeof startedJobSchema> {
  return { ...toJobView(job), ...(isDuplicate ? { is_known: true } : {}) };
}

/** Field by field, because every answer about a job is made by it: spreading objects takes several times as long. */
export function toJobView(job: Job): JobView {
  const { state } = job;
  const view: JobView = {
    id: job.id,
    kind: job.kind,
    state: state.status,
    owner: job.owner,
    attempt: state.attempt,
    attempts: job.limits.attempts,
    created_at: toIso(job.createdAt),
  };
  if (job.name !== undefined) view.name = job.name;
  if (job.cwd !== undefined) view.cwd = job.cwd;
  if (job.place !== undefined) view.place = job.place;
  if (job.batch !== undefined) view.batch = job.batch;
  if (job.parent !== undefined) view.parent = job.parent;
  if (job.dependsOn.length > 0) view.after = [...job.dependsOn];
  if (job.priority !== 0) view.priority = job.priority;
  if (job.schedule !== undefined) addSchedule(view, job.schedule);
  if (job.tags.length > 0) view.tags = [...job.tags];
  if (job.webhook !== undefined) view.webhook = { url: job.webhook.url, on: [...job.webhook.on] };
  if (job.notify !== undefined) view.notify = toNotifyView(job.notify);
  if ("startedAt" in state && state.startedAt !== undefined) view.started_at = toIso(state.startedAt);
  if ("progress" in state && state.progress !== undefined) view.progress = toProgressView(state.progress);
  if (state.status === "queued" && state.runAt > state.queuedAt) view.run_at = toIso(state.runAt);
  if (isTerminal(state)) addEnd(view, job.kind, state);
  if (isHeld(state)) {
    if (state.cancelRequest !== undefined) view.cancel_requested = true;
    if (state.stalledSince !== undefined) view.stalled_since = toIso(state.stalledSince);
  }
  return view;
}

function toNotifyView({ to, on, afterMs }: NonNullable<Job["notify"]>): NonNullable<JobView["notify"]> {
  return { to: [...to], on: [...on], ...(afterMs === undefined ? {} : { only_after_ms: afterMs }) };
}

function addSchedule(view: JobView, { name, plannedAt }: ScheduleMark): void {
  view.schedule = name;
  if (plannedAt !== undefined) view.planned_at = toIso(plannedAt);
}

function addEnd(view: JobView, kind: string, state: TerminalState): void {
  view.finished_at = toIso(state.finishedAt);
  view.expires_at = toIso(state.expiresAt);
  const failure = "failure" in state ? state.failure : undefined;
  if (failure !== undefined) view.error = { code: failure.code, message: failure.message };
  const exitCode = exitCodeOf(kind, state);
  if (exitCode !== undefined) view.exit_code = exitCode;
  if (state.status === "succeeded" && state.partial) view.partial = true;
  if (state.status === "cancelled") view.reason = state.reason;
}

type HeldProgress = NonNullable<Extract<Job["state"], { status: "running" }>["progress"]>;

function toProgressView({ counts, ...progress }: HeldProgress): NonNullable<JobView["progress"]> {
  return { ...progress, done: counts?.done, total: counts?.total };
}

function toIso(atMs: number): string {
  return new Date(atMs).toISOString();
}
