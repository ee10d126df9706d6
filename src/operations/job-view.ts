import { z } from "zod";
import { defined } from "../job/defined.ts";
import type { Job } from "../job/job.ts";
import type { Json } from "../job/json.ts";
import { questionSchema } from "../job/question.ts";
import { isHeld, isTerminal, jobStatuses } from "../job/state.ts";
import { webhookOccasions } from "../job/webhook.ts";

/** A job as every face shows it. Times are ISO 8601; a field that does not apply is absent. */
export const jobViewSchema = z.object({
  id: z.string(),
  kind: z.string(),
  state: z.enum(jobStatuses),
  name: z.string().optional(),
  summary: z.string().optional().describe("The beginning of what it runs; only in lists."),
  owner: z.string(),
  batch: z.string().optional(),
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
    })
    .optional(),
  exit_code: z.int().nullable().optional(),
  error: z.object({ code: z.string(), message: z.string() }).optional(),
  partial: z.boolean().optional(),
  reason: z.string().optional().describe("Why the job was cancelled, or why it is still queued."),
  cancel_requested: z.boolean().optional(),
  stalled_since: z.string().optional(),
  questions: z.array(z.object({ key: z.string(), message: z.string(), form: questionSchema.shape.form })).optional(),
  webhook: z
    .object({ url: z.string().describe("Without its query."), on: z.array(z.enum(webhookOccasions)) })
    .optional(),
  live: z.record(z.string(), z.json()).optional().describe("What only a look at the running work can tell."),
});

export type JobView = z.infer<typeof jobViewSchema>;

export function toJobView(job: Job): JobView {
  const { state } = job;
  return {
    id: job.id,
    kind: job.kind,
    state: state.status,
    owner: job.owner,
    attempt: state.attempt,
    attempts: job.limits.attempts,
    created_at: toIso(job.createdAt),
    ...defined({
      name: job.name,
      batch: job.batch,
      tags: job.tags.length > 0 ? [...job.tags] : undefined,
      webhook: job.webhook === undefined ? undefined : { url: job.webhook.url, on: [...job.webhook.on] },
      started_at: "startedAt" in state && state.startedAt !== undefined ? toIso(state.startedAt) : undefined,
      progress: "progress" in state && state.progress !== undefined ? toProgressView(state.progress) : undefined,
      run_at: state.status === "queued" && state.runAt > state.queuedAt ? toIso(state.runAt) : undefined,
    }),
    ...toEndView(job),
    ...toHeldView(job),
  };
}

const longestSummary = 200;

/** What a job runs, in a few words: a command line, a program with its arguments, or a task. */
export function summarise(input: Json): string | undefined {
  const { command, argv, task } = typeof input === "object" && input !== null && !Array.isArray(input) ? input : {};
  const words = Array.isArray(argv) ? argv.filter((word) => typeof word === "string").join(" ") : undefined;
  const told = typeof command === "string" ? command : task;
  const text = typeof told === "string" ? told : words;
  return text === undefined || text.length <= longestSummary ? text : `${text.slice(0, longestSummary)}…`;
}

function toEndView({ kind, state }: Job): Partial<JobView> {
  if (!isTerminal(state)) return {};
  const failure = "failure" in state ? state.failure : undefined;
  const exitCode = state.status === "succeeded" && kind === "shell" ? 0 : failure?.details?.["exit_code"];
  return {
    finished_at: toIso(state.finishedAt),
    expires_at: toIso(state.expiresAt),
    ...defined({
      error: failure === undefined ? undefined : { code: failure.code, message: failure.message },
      exit_code: typeof exitCode === "number" || exitCode === null ? exitCode : undefined,
      partial: state.status === "succeeded" && state.partial ? true : undefined,
      reason: state.status === "cancelled" ? state.reason : undefined,
    }),
  };
}

function toHeldView({ state }: Job): Partial<JobView> {
  if (!isHeld(state)) return {};
  return defined({
    cancel_requested: state.cancelRequest === undefined ? undefined : true,
    stalled_since: state.stalledSince === undefined ? undefined : toIso(state.stalledSince),
  });
}

type HeldProgress = NonNullable<Extract<Job["state"], { status: "running" }>["progress"]>;

function toProgressView({ counts, ...progress }: HeldProgress): NonNullable<JobView["progress"]> {
  return { ...progress, ...defined({ done: counts?.done, total: counts?.total }) };
}

function toIso(atMs: number): string {
  return new Date(atMs).toISOString();
}
