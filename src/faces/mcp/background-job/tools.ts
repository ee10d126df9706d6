import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import type { BackgroundJobSettings } from "../../../config/background-job.ts";
import { defined } from "../../../job/defined.ts";
import { LonghaulError } from "../../../job/error.ts";
import type { Job } from "../../../job/job.ts";
import type { Json } from "../../../job/json.ts";
import { isTerminal } from "../../../job/state.ts";
import type { OperationContext } from "../../../operations/operation.ts";
import { runCommand } from "../../../operations/run-command.ts";
import { checkCommand } from "./command-rules.ts";
import { toBackgroundJobStatus } from "./job-status.ts";
import { readStreams, tailStreams } from "./job-streams.ts";

type Context = Omit<OperationContext, "signal">;

export interface BackgroundJobTool {
  /** The registered name, and the one that the README of mcp-background-job uses. */
  readonly names: readonly [string, string];
  readonly description: string;
  readonly input: z.ZodType;
  readonly output: z.ZodType;
  readonly annotations: {
    readonly readOnlyHint: boolean;
    readonly destructiveHint?: boolean;
    readonly idempotentHint: boolean;
  };
  /** How the text of an unexpected error begins. */
  readonly verb: string;
  readonly run: (input: never, context: Context, settings: BackgroundJobSettings) => Promise<Record<string, unknown>>;
}

const reads = { readOnlyHint: true, idempotentHint: true };
const writes = { readOnlyHint: false, destructiveHint: false, idempotentHint: false };
const byId = { job_id: z.string() };
const streams = z.object({ stdout: z.string(), stderr: z.string() });
/** How long it looks for what a job says to an input. */
const interactMs = 100;
const killWaitMs = 15_000;

export const backgroundJobTools: readonly BackgroundJobTool[] = [
  {
    names: ["execute_command", "execute"],
    description: "Execute a command as a background job and return job ID.",
    input: z.object({ command: z.string().describe("Shell command to execute") }),
    output: z.object({ job_id: z.string() }),
    annotations: writes,
    verb: "execute command",
    run: async ({ command }: { command: string }, context, settings) => {
      checkCommand(command, settings.allowedCommands);
      if (settings.isStrict) await refuseOverLimit(context, settings.maxJobs);
      const { jobTimeoutMs: timeout_ms, workingDir: cwd } = settings;
      const view = (await runCommand.call(context, { command, ...defined({ timeout_ms, cwd }) })) as { id: string };
      return { job_id: view.id };
    },
  },
  {
    names: ["list_jobs", "list"],
    description: "List all background jobs with their current status.",
    input: z.object({}),
    output: z.object({
      jobs: z.array(z.object({ job_id: z.string(), status: z.string(), command: z.string(), started: z.string() })),
    }),
    annotations: reads,
    verb: "list jobs",
    run: async (_input, { engine, actor }) => {
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
  },
  {
    names: ["get_job_status", "status"],
    description: "Get the current status of a background job.",
    input: z.object({ job_id: byId.job_id.describe("Job ID to check") }),
    output: z.object({ status: z.string() }),
    annotations: reads,
    verb: "get job status",
    run: async ({ job_id: id }: { job_id: string }, context) => ({
      status: toBackgroundJobStatus(await findJob(id, context)),
    }),
  },
  {
    names: ["get_job_output", "output"],
    description: "Get the complete stdout and stderr output of a job.",
    input: z.object({ job_id: byId.job_id.describe("Job ID to get output from") }),
    output: streams,
    annotations: reads,
    verb: "get job output",
    run: async ({ job_id: id }: { job_id: string }, context, { maxOutputBytes }) => ({
      ...(await readStreams(await findJob(id, context), context, { mostBytes: maxOutputBytes })),
    }),
  },
  {
    names: ["tail_job_output", "tail"],
    description: "Get the last N lines of stdout and stderr from a job.",
    input: z.object({
      job_id: byId.job_id.describe("Job ID to tail"),
      lines: z.int().max(1_000).default(50).describe("Number of lines to return (1-1000)"),
    }),
    output: streams,
    annotations: reads,
    verb: "tail job output",
    run: async ({ job_id: id, lines }: { job_id: string; lines: number }, context) => {
      if (lines <= 0) throw new LonghaulError("invalid_input", "Invalid parameter: Number of lines must be positive");
      return { ...(await tailStreams(await findJob(id, context), context, lines)) };
    },
  },
  {
    names: ["interact_with_job", "interact"],
    description: "Send input to a job's stdin and return any immediate output.",
    input: z.object({
      job_id: byId.job_id.describe("Job ID to interact with"),
      input: z.string().describe("Input to send to the job's stdin"),
    }),
    output: streams,
    annotations: writes,
    verb: "interact with job",
    run: interact,
  },
  {
    names: ["kill_job", "kill"],
    description: "Kill a running background job.",
    input: z.object({ job_id: byId.job_id.describe("Job ID to kill") }),
    output: z.object({ status: z.string() }),
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false },
    verb: "kill job",
    run: kill,
  },
];

async function interact(
  { job_id: id, input }: { job_id: string; input: string },
  context: Context,
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
  return { ...(await readStreams(job, context, { from, mostBytes: 1_000_000 })) };
}

/** Waits for the processes to be gone, so that what it says is true. */
async function kill({ job_id: id }: { job_id: string }, context: Context): Promise<Record<string, unknown>> {
  const { engine, actor } = context;
  const job = await findJob(id, context).catch(() => undefined);
  if (job === undefined) return { status: "not_found" };
  if (isTerminal(job.state)) return { status: "already_terminated" };
  await engine.cancel(job.id, "killed by its client", actor);
  await engine.wait(job.id, { timeoutMs: killWaitMs, ...actor });
  return { status: "killed" };
}

async function findJob(id: string, { engine, actor }: Context): Promise<Job> {
  try {
    return await engine.get(id, actor);
  } catch (error) {
    const isAbsent = error instanceof LonghaulError && (error.code === "not_found" || error.code === "expired");
    throw isAbsent ? new LonghaulError("not_found", `Job ${id} not found`) : error;
  }
}

async function refuseOverLimit({ engine, actor }: Context, maxJobs: number): Promise<void> {
  const filter = { kind: "shell", status: ["queued", "running", "waiting"] as const };
  const { jobs } = await engine.list(filter, { limit: maxJobs }, actor);
  if (jobs.length < maxJobs) return;
  throw new LonghaulError("conflict", `Job limit reached: Maximum concurrent jobs limit (${maxJobs}) reached`);
}

function commandOf(input: Json): string {
  const { command, argv } = typeof input === "object" && input !== null && !Array.isArray(input) ? input : {};
  if (typeof command === "string") return command;
  return Array.isArray(argv) ? argv.filter((part) => typeof part === "string").join(" ") : "";
}

function startOf({ state, createdAt }: Job): number {
  return "startedAt" in state && state.startedAt !== undefined ? state.startedAt : createdAt;
}
