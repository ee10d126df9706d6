import { z } from "zod";
import type { Job } from "../../../job/job.ts";
import { isTerminal } from "../../../job/state.ts";
import { relayJob } from "../../../operations/endpoint-platform.ts";
import type { OperationContext } from "../../../operations/operation.ts";
import type { Tool } from "../profile.ts";
import { accountTools } from "./account-tools.ts";
import { statusElsewhere, streamElsewhere, waitElsewhere, type Elsewhere } from "./elsewhere.ts";
import { runpodRequestSchema } from "./request.ts";
import * as runpod from "./runpod-operations.ts";
import { isFinal } from "./runpod-status.ts";
import { defineRunpodTool, reads, writes } from "./runpod-tool.ts";

const defaultSyncMs = 90_000;
/** How long a platform may take to say whether it takes a job. */
const acceptanceWaitMs = 30_000;
/** Cancelling takes as long as the platform, or the worker, takes to end the job. */
const cancelWaitMs = 40_000;
const streamBudgetMs = 300_000;
const maxStreamBytes = 4_000_000;
const maxWaitMs = 300_000;

const idPattern = /^[a-zA-Z0-9_-]+$/;
const id = z.string(`must be a string matching ${idPattern.source}`);
const idOf = (what: string): z.ZodString =>
  id.regex(idPattern, `must be a string matching ${idPattern.source}`).describe(`ID of the ${what}`);
const endpointId = idOf("Serverless endpoint");
const jobId = idOf("job");
const badWait = "must be a finite number of at least 1000 milliseconds, or omitted.";
/** More is taken for the most. */
const wait = z.number(badWait).min(1_000, badWait).meta({ maximum: maxWaitMs }).optional();
const ofJob = z.object({ endpointId, jobId });
const request = z.object({ endpointId, ...runpodRequestSchema.shape });

const statuses = "Statuses: IN_QUEUE, IN_PROGRESS, and in the end COMPLETED, FAILED, CANCELLED or TIMED_OUT.";

type OfJob = z.output<typeof ofJob>;

export const runpodTools: readonly Tool<runpod.RunpodReply>[] = [
  ...accountTools,
  defineRunpodTool({
    name: "run-endpoint",
    title: "Run endpoint (async)",
    description: `Submit a job to a Serverless endpoint and return its id as soon as the platform has taken it. ${statuses} get-job-status tells how it stands, with wait also its end; results stay for a day.`,
    input: request,
    annotations: writes,
    run: async (context, { endpointId: endpoint, ...rest }) => {
      const job = await runpod.runJob(context, endpoint, rest);
      return runpod.acceptanceOf(context, job, acceptanceWaitMs);
    },
  }),
  defineRunpodTool({
    name: "runsync-endpoint",
    title: "Run endpoint (sync)",
    description: `Submit a job to a Serverless endpoint and wait for its result: for jobs that take seconds. One that takes longer than wait (90000 ms unless given, at most 300000) answers with its id and IN_QUEUE or IN_PROGRESS; go on with get-job-status. ${statuses}`,
    input: request.extend({ wait: wait.describe("Maximum milliseconds to wait (1000-300000; 90000 unless given)") }),
    annotations: writes,
    run: async (context, { endpointId: endpoint, wait: waitMs = defaultSyncMs, ...rest }) => {
      const job = await runpod.runJob(context, endpoint, rest);
      const seen = await runpod.waitForEnd(context, job, Math.min(waitMs, maxWaitMs));
      runpod.throwIfRefused(seen);
      const reply = await runpod.statusOf(context, seen);
      return isFinal(reply["status"]) ? reply : { id: seen.id, status: reply["status"] ?? "IN_QUEUE" };
    },
  }),
  defineRunpodTool({
    name: "get-job-status",
    title: "Get job status",
    description: `Get the status of a job as the platform tells it now, with its output when it has ended, and what its worker says of it before. ${statuses} With wait it answers at the end of the job or when the time is over (pollingTimedOut: true): better than asking again and again. IN_QUEUE comes with workerHealth and a hint; it may be a worker that fails over and over: see list-endpoint-workers and stream-worker-logs. Jobs that were submitted elsewhere can be asked for by the platform's id.`,
    input: ofJob.extend({ wait: wait.describe("Maximum milliseconds to wait for the end (1000-300000)") }),
    annotations: reads,
    run: async (context, { wait: given, ...ids }) => {
      const waitMs = given && Math.min(given, maxWaitMs);
      const ofOwn = async (job: Job): Promise<runpod.RunpodReply> =>
        runpod.statusOf(context, waitMs === undefined ? job : await runpod.waitForEnd(context, job, waitMs));
      const ofOther = (job: Elsewhere): Promise<runpod.RunpodReply> =>
        waitMs === undefined ? statusElsewhere(context, job) : waitElsewhere(context, job, waitMs);
      const reply = await find(context, ids, ofOwn, ofOther);
      return waitMs === undefined || isFinal(reply["status"])
        ? reply
        : { ...reply, ...outOfTime(waitMs, "get-job-status") };
    },
  }),
  defineRunpodTool({
    name: "stream-job",
    title: "Stream job",
    description: `Get the stream of a job whose handler gives one: waits for the job's end, five minutes at most, and returns all chunks with its status. ${statuses} With pollingTimedOut: true there may be more; call it again.`,
    input: ofJob,
    annotations: reads,
    run: (context, ids) =>
      find(
        context,
        ids,
        (job) => streamJob(context, job),
        async (job) => {
          const reply = await streamElsewhere(context, job, streamBudgetMs);
          return isFinal(reply["status"]) ? reply : { ...reply, ...outOfTime(streamBudgetMs, "stream-job") };
        },
      ),
  }),
  defineRunpodTool({
    name: "cancel-job",
    title: "Cancel job",
    description:
      "Cancel a job that is IN_QUEUE or IN_PROGRESS, and say what the platform says. One that has ended is left as it is.",
    input: ofJob,
    annotations: { ...writes, idempotentHint: true },
    run: (context, ids) =>
      find(
        context,
        ids,
        (job) => runpod.cancelJob(context, job, cancelWaitMs),
        (job) => relayJob(context, { ...job, verb: "cancel" }),
      ),
  }),
  defineRunpodTool({
    name: "retry-job",
    title: "Retry job",
    description: "Run a job that has FAILED or TIMED_OUT again, under the same id; what it had put out is dropped.",
    input: ofJob,
    annotations: writes,
    isOnceOnly: true,
    run: (context, ids) =>
      find(
        context,
        ids,
        (job) => runpod.retryJob(context, job),
        (job) => relayJob(context, { ...job, verb: "retry" }),
      ),
  }),
  defineRunpodTool({
    name: "endpoint-health",
    title: "Endpoint health",
    description:
      "Get how many jobs and workers an endpoint has, by their state. Which workers these are says list-endpoint-workers, and what they write stream-worker-logs.",
    input: z.object({ endpointId }),
    annotations: reads,
    run: (context, { endpointId: endpoint }) => runpod.healthOf(context, endpoint),
  }),
  defineRunpodTool({
    name: "purge-endpoint-queue",
    title: "Purge endpoint queue",
    description: "Remove all jobs that are IN_QUEUE from an endpoint's queue; those in progress go on.",
    input: z.object({ endpointId }),
    annotations: { ...writes, idempotentHint: true },
    run: (context, { endpointId: endpoint }) => runpod.purgeQueue(context, endpoint),
  }),
];

/** All chunks every time: unlike RunPod's own, a reply that gets lost loses nothing. */
async function streamJob(context: OperationContext, given: Job): Promise<runpod.RunpodReply> {
  const job = await runpod.waitForEnd(context, given, streamBudgetMs);
  const { chunks, isMore } = await runpod.readChunks(context, job, { from: 0, maxBytes: maxStreamBytes });
  return {
    ...(await runpod.statusOf(context, job)),
    stream: chunks,
    ...(isMore ? { note: `Only the first ${maxStreamBytes} bytes of the stream are shown.` } : {}),
    ...(isTerminal(job.state) ? {} : outOfTime(streamBudgetMs, "stream-job")),
  };
}

function outOfTime(ms: number, tool: string): { pollingTimedOut: true; note: string } {
  return {
    pollingTimedOut: true,
    note: `The job is still running after ${ms} ms; call ${tool} again to keep waiting.`,
  };
}

/** One of ours, or one that only the platform knows. */
async function find<Answer>(
  context: OperationContext,
  { endpointId: endpoint, jobId: wanted }: OfJob,
  ofOwn: (job: Job) => Promise<Answer>,
  ofOther: (job: Elsewhere) => Promise<Answer>,
): Promise<Answer> {
  const job = await runpod.findJobOf(context, endpoint, wanted);
  return job === undefined ? ofOther({ endpoint, id: wanted }) : ofOwn(job);
}
