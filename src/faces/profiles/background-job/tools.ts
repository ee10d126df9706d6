import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { assertNever, LonghaulError } from "../../../job/error.ts";
import { isRecord } from "../../../job/is-record.ts";
import type { Job } from "../../../job/job.ts";
import type { Json } from "../../../job/json.ts";
import { isTerminal } from "../../../job/state.ts";
import { runCommand } from "../../../operations/start-operations.ts";
import { defineTool, type CallContext, type Tool } from "../profile.ts";
import { checkCommand } from "./command-rules.ts";
import { readStreams, tailStreams } from "./job-streams.ts";

const reads = { readOnlyHint: true, idempotentHint: true };
const writes = { readOnlyHint: false, destructiveHint: false, idempotentHint: false };
const byId = { job_id: z.string() };
const streams = z.object({ stdout: z.string(), stderr: z.string() });
/** How long it looks for what a job says to an input. */
const interactMs = 100;
const killWaitMs = 15_000;
const defaultMaxJobs = 10;
const defaultMaxOutputBytes = 10 * 1024 * 1024;
/** Tells the jobs of this profile, which its limit counts, from those of other clients. */
const profileTag = "background-job";

export const backgroundJobTools: readonly Tool<Record<string, unknown>>[] = [
  defineTool({
    name: "execute_command",
    description: "Execute a command as a background job and return job ID.",
    input: z.object({ command: z.string().describe("Shell command to execute") }),
    output: z.object({ job_id: z.string() }),
    annotations: writes,
    run: async (context, { command }) => {
      const settings = context.backgroundJob;
      await checkCommand(command, settings.allowedCommands, context.engine.patterns);
      if (settings.isStrict) await refuseOverLimit(context, settings.maxJobs ?? defaultMaxJobs);
      const { jobTimeoutMs: timeout_ms, workingDir: cwd } = settings;
      const view = await runCommand.call(
        { ...context, actor: cwd === undefined ? await context.actorInFolder() : context.actor },
        { command, tags: [profileTag], timeout_ms, cwd },
      );
      return { job_id: view.id };
    },
  }),
  defineTool({
    name: "list_jobs",
    description: "List all background jobs with their current status.",
    input: z.object({}),
    output: z.object({
      jobs: z.array(z.object({ job_id: z.string(), status: z.string(), command: z.string(), started: z.string() })),
    }),
    annotations: reads,
    run: async ({ engine, actor }) => {
      const { jobs } = await engine.list({ kind: "shell" }, { limit: 1_000 }, actor);
      const listed = await Promise.all(
        jobs.map(async (job) => ({
          job_id: job.id,
          status: toBackgroundJobStatus(job),
          command: commandOf(await engine.input(job.id, actor).catch(() => null)),
          started: new Date(startOf(job)).toISOString(),
        })),
      );
      return { jobs: listed.toSorted((a, b) => (a.started < b.started ? 1 : -1)) };
    },
  }),
  defineTool({
    name: "get_job_status",
    description: "Get the current status of a background job.",
    input: z.object({ job_id: byId.job_id.describe("Job ID to check") }),
    output: z.object({ status: z.string() }),
    annotations: reads,
    run: async (context, { job_id: id }) => ({
      status: toBackgroundJobStatus(await findJob(id, context)),
    }),
  }),
  defineTool({
    name: "get_job_output",
    description: "Get the complete stdout and stderr output of a job.",
    input: z.object({ job_id: byId.job_id.describe("Job ID to get output from") }),
    output: streams,
    annotations: reads,
    run: async (context, { job_id: id }) => {
      const { maxOutputBytes = defaultMaxOutputBytes } = context.backgroundJob;
      return { ...(await readStreams(await findJob(id, context), context, { maxBytes: maxOutputBytes })) };
    },
  }),
  defineTool({
    name: "tail_job_output",
    description: "Get the last N lines of stdout and stderr from a job.",
    input: z.object({
      job_id: byId.job_id.describe("Job ID to tail"),
      lines: z.int().max(1_000).default(50).describe("Number of lines to return (1-1000)"),
    }),
    output: streams,
    annotations: reads,
    run: async (context, { job_id: id, lines }) => {
      if (lines <= 0) throw new LonghaulError("invalid_input", "Invalid parameter: Number of lines must be positive");
      return { ...(await tailStreams(await findJob(id, context), context, lines)) };
    },
  }),
  defineTool({
    name: "interact_with_job",
    description: "Send input to a job's stdin and return any immediate output.",
    input: z.object({
      job_id: byId.job_id.describe("Job ID to interact with"),
      input: z.string().describe("Input to send to the job's stdin"),
    }),
    output: streams,
    annotations: writes,
    isOnceOnly: true,
    run: interact,
  }),
  defineTool({
    name: "kill_job",
    description: "Kill a running background job.",
    input: z.object({ job_id: byId.job_id.describe("Job ID to kill") }),
    output: z.object({ status: z.string() }),
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false },
    run: kill,
  }),
];

async function interact(
  context: CallContext,
  { job_id: id, input }: { job_id: string; input: string },
): Promise<Record<string, unknown>> {
  const { engine, actor } = context;
  const job = await findJob(id, context);
  const refusal = new LonghaulError("conflict", `Job ${id} is not running and cannot accept input`);
  if (isTerminal(job.state)) throw refusal;
  const before = await engine.outputSizes(job.id, undefined, actor);
  try {
    await engine.send(job.id, input.endsWith("\n") ? input : `${input}\n`, actor);
  } catch (error) {
    throw error instanceof LonghaulError && error.code === "conflict" ? refusal : error;
  }
  await delay(interactMs);
  const from = { stdout: before["stdout"]?.size ?? 0, stderr: before["stderr"]?.size ?? 0 };
  return { ...(await readStreams(job, context, { from, maxBytes: 1_000_000 })) };
}

/** Waits for the processes to be gone, so that what it says is true. */
async function kill(context: CallContext, { job_id: id }: { job_id: string }): Promise<Record<string, unknown>> {
  const { engine, actor } = context;
  const job = await findJob(id, context).catch(() => undefined);
  if (job === undefined) return { status: "not_found" };
  if (isTerminal(job.state)) return { status: "already_terminated" };
  await engine.cancel(job.id, "killed by its client", actor);
  await engine.wait(job.id, { timeoutMs: killWaitMs, ...actor });
  return { status: "killed" };
}

async function findJob(id: string, { engine, actor }: CallContext): Promise<Job> {
  try {
    return await engine.get(id, actor);
  } catch (error) {
    const isAbsent = error instanceof LonghaulError && (error.code === "not_found" || error.code === "expired");
    throw isAbsent ? new LonghaulError("not_found", `Job ${id} not found`) : error;
  }
}

async function refuseOverLimit({ engine, actor }: CallContext, maxJobs: number): Promise<void> {
  const filter = { kind: "shell", tag: profileTag, status: ["queued", "running", "waiting"] as const };
  const { jobs } = await engine.list(filter, { limit: maxJobs }, actor);
  if (jobs.length < maxJobs) return;
  throw new LonghaulError("conflict", `Job limit reached: Maximum concurrent jobs limit (${maxJobs}) reached`);
}

function commandOf(input: Json): string {
  const { command, argv } = isRecord(input) ? input : {};
  if (typeof command === "string") return command;
  return Array.isArray(argv) ? argv.filter((part) => typeof part === "string").join(" ") : "";
}

function startOf({ state, createdAt }: Job): number {
  return "startedAt" in state && state.startedAt !== undefined ? state.startedAt : createdAt;
}

type BackgroundJobStatus = "running" | "completed" | "failed" | "killed";

/**
 * Our states in its words. A command that ended by the signals that kill was killed, whoever
 * sent them; a shell that exits with 128 and such a signal's number looks the same.
 */
function toBackgroundJobStatus({ state }: Job): BackgroundJobStatus {
  switch (state.status) {
    case "succeeded":
      return "completed";
    case "cancelled":
      return "killed";
    case "timed_out":
      return "failed";
    case "failed": {
      const signal = state.failure.details?.["signal"];
      return signal === "SIGKILL" || signal === "SIGTERM" ? "killed" : "failed";
    }
    case "queued":
    case "running":
    case "waiting":
      return "running";
    default:
      return assertNever(state);
  }
}
