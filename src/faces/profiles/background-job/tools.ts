import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { assertNever, LonghaulError } from "../../../job/error.ts";
import { isRecord } from "../../../job/is-record.ts";
import type { Job } from "../../../job/job.ts";
import type { Json } from "../../../job/json.ts";
import { isTerminal } from "../../../job/state.ts";
import { runCommand } from "../../../operations/start-operations.ts";
import { defineTool, type CallContext, type Tool } from "../profile.ts";
import { checkCommand, inKnownWords } from "./command-rules.ts";
import { readStreams, tailStreams } from "./job-streams.ts";

const reads = { readOnlyHint: true, idempotentHint: true };
const writes = { readOnlyHint: false, destructiveHint: false, idempotentHint: false };
const statuses = ["running", "completed", "failed", "killed"] as const;
type BackgroundJobStatus = (typeof statuses)[number];
const jobId = z.string().describe("UUID job identifier");
const status = z.enum(statuses).describe("Current job status");
const streams = z
  .object({
    stdout: z.string().describe("Standard output content"),
    stderr: z.string().describe("Standard error content"),
  })
  .describe("Structured stdout/stderr output from a process.");
const listedJob = z
  .object({
    job_id: jobId,
    status,
    command: z.string().describe("Shell command being executed"),
    started: z.string().meta({ description: "UTC timestamp when job started", format: "date-time" }),
  })
  .describe("Minimal job information for listing operations.");
const lineCount = z.int().max(1_000);
const tailInput = z.strictObject({ job_id: z.string().describe("Job ID to tail"), lines: lineCount.default(50) });
/** Less than one line is refused in words of its own. */
const listedTailInput = tailInput.extend({
  lines: lineCount.min(1).default(50).describe("Number of lines to return"),
});
/** How long it looks for what a job says to an input. */
const interactMs = 100;
const interactBytes = 1_000_000;
const killWaitMs = 15_000;
const defaultMaxJobs = 10;
const defaultMaxOutputBytes = 10 * 1024 * 1024;
/** Tells the jobs of this profile, which its limit counts, from those of other clients. */
const profileTag = "background-job";

/** As mcp-background-job lists them: order, titles, texts and schemas. */
export const backgroundJobTools: readonly Tool<Record<string, unknown>>[] = [
  defineTool({
    name: "list_jobs",
    title: "List Jobs",
    description:
      "List all background jobs with their status.\n\nReturns a list of all background jobs, including their job ID, status,\ncommand, and start time. Jobs are sorted by start time (newest first).",
    input: z.strictObject({}),
    output: z
      .object({ jobs: z.array(listedJob).describe("List of all background jobs") })
      .describe("Output from list tool."),
    annotations: reads,
    run: async ({ engine, actor }) => {
      const { jobs } = await engine.list({ kind: "shell" }, { limit: 1_000 }, actor);
      const newestFirst = jobs.toSorted((one, other) => startOf(other) - startOf(one));
      const listed = newestFirst.map(async (job) => ({
        job_id: job.id,
        status: toBackgroundJobStatus(job),
        command: commandOf(await engine.input(job.id, actor).catch(() => null)),
        started: new Date(startOf(job)).toISOString(),
      }));
      return { jobs: await Promise.all(listed) };
    },
  }),
  defineTool({
    name: "get_job_status",
    title: "Get Job Status",
    description: "Get the current status of a background job.",
    input: z.strictObject({ job_id: z.string().describe("Job ID to check") }),
    output: z.object({ status }).describe("Output from status tool."),
    annotations: reads,
    run: async (context, { job_id: id }) => ({
      status: toBackgroundJobStatus(await findJob(id, context)),
    }),
  }),
  defineTool({
    name: "get_job_output",
    title: "Get Job Output",
    description: "Get the complete stdout and stderr output of a job.",
    input: z.strictObject({ job_id: z.string().describe("Job ID to get output from") }),
    output: streams,
    annotations: reads,
    run: async (context, { job_id: id }) => {
      const { maxOutputBytes = defaultMaxOutputBytes } = context.backgroundJob;
      return { ...(await readStreams(await findJob(id, context), context, { maxBytes: maxOutputBytes })) };
    },
  }),
  defineTool({
    name: "tail_job_output",
    title: "Tail Job Output",
    description: "Get the last N lines of stdout and stderr from a job.",
    input: tailInput,
    listedInput: listedTailInput,
    output: streams,
    annotations: reads,
    run: async (context, { job_id: id, lines }) => {
      if (lines <= 0) throw new LonghaulError("invalid_input", "Invalid parameter: Number of lines must be positive");
      const { maxOutputBytes = defaultMaxOutputBytes } = context.backgroundJob;
      return { ...(await tailStreams(await findJob(id, context), context, { lines, maxBytes: maxOutputBytes })) };
    },
  }),
  defineTool({
    name: "execute_command",
    title: "Execute Command",
    description: "Execute a command as a background job and return job ID.",
    input: z.strictObject({ command: z.string().describe("Shell command to execute") }),
    output: z.object({ job_id: jobId }).describe("Output from execute tool."),
    annotations: writes,
    run: async (context, { command }) => {
      const settings = context.backgroundJob;
      await checkCommand(command, settings.allowedCommands, context.engine.patterns);
      if (settings.isStrict) await refuseOverLimit(context, settings.maxJobs ?? defaultMaxJobs);
      const { jobTimeoutMs: timeout_ms, workingDir: cwd } = settings;
      const actor = cwd === undefined ? await context.actorInFolder() : context.actor;
      const request = { command, tags: [profileTag], timeout_ms, cwd };
      const view = await runCommand.call({ ...context, actor }, request).catch((error: unknown) => {
        throw inKnownWords(error, command);
      });
      return { job_id: view.id };
    },
  }),
  defineTool({
    name: "interact_with_job",
    title: "Interact With Job",
    description: "Send input to a job's stdin and return any immediate output.",
    input: z.strictObject({
      job_id: z.string().describe("Job ID to interact with"),
      input: z.string().describe("Input to send to the job's stdin"),
    }),
    output: streams,
    annotations: writes,
    isOnceOnly: true,
    run: interact,
  }),
  defineTool({
    name: "kill_job",
    title: "Kill Job",
    description: "Kill a running background job.",
    input: z.strictObject({ job_id: z.string().describe("Job ID to kill") }),
    output: z
      .object({
        status: z
          .enum(["killed", "already_terminated", "not_found"])
          .describe("Kill result: 'killed', 'already_terminated', or 'not_found'"),
      })
      .describe("Output from kill tool."),
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
  if (job.state.status === "queued") {
    throw new LonghaulError("conflict", `Job ${id} is queued and cannot accept input until it runs`);
  }
  const before = await engine.outputSizes(job.id, undefined, actor);
  try {
    await engine.send(job.id, input.endsWith("\n") ? input : `${input}\n`, actor);
  } catch (error) {
    throw error instanceof LonghaulError && error.code === "conflict" ? refusal : error;
  }
  await delay(interactMs);
  const from = { stdout: before["stdout"]?.size ?? 0, stderr: before["stderr"]?.size ?? 0 };
  return { ...(await readStreams(job, context, { from, maxBytes: interactBytes })) };
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
  const filter = { kind: "shell", tags: [profileTag], status: ["queued", "running", "waiting"] as const };
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
