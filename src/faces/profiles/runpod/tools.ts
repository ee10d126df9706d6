import { z } from "zod";
import { isTerminal } from "../../../job/state.ts";
import type { OperationContext } from "../../../operations/operation.ts";
import { defineTool, type Tool } from "../profile.ts";
import { runpodRequestSchema } from "./request.ts";
import * as runpod from "./runpod-operations.ts";

const defaultSyncMs = 90_000;
/** Cancelling takes as long as the platform, or the worker, takes to end the job. */
const cancelWaitMs = 40_000;
const streamBudgetMs = 300_000;
const maxStreamBytes = 4_000_000;

const idOf = (what: string): z.ZodString => z.string().regex(/^[a-zA-Z0-9_-]+$/, `Invalid ${what} ID format`);
const endpointId = idOf("endpoint").describe("ID of the Serverless endpoint");
const jobId = idOf("job").describe("ID of the job");
const wait = z.int().min(1_000).max(300_000).optional();
const ofJob = z.object({ endpointId, jobId });
const request = z.object({ endpointId, ...runpodRequestSchema.shape });
const syncRequest = request.extend({ wait: wait.describe("Maximum milliseconds to wait (1000-300000)") });

type OfJob = z.output<typeof ofJob>;

export const runpodTools: readonly Tool<runpod.RunpodReply>[] = [
  defineTool({
    name: "run-endpoint",
    description: "Submit a job to a Serverless endpoint and return its id at once (asynchronous).",
    input: request,
    annotations: { readOnlyHint: false, openWorldHint: true },
    run: async (context, { endpointId: endpoint, ...rest }) => {
      const job = await runpod.runJob(context, endpoint, rest);
      return { id: job.id, status: "IN_QUEUE" };
    },
  }),
  defineTool({
    name: "runsync-endpoint",
    description: "Submit a job to a Serverless endpoint and wait for its result (synchronous).",
    input: syncRequest,
    annotations: { readOnlyHint: false, openWorldHint: true },
    run: async (context, { endpointId: endpoint, wait: waitMs, ...rest }) => {
      const job = await runpod.runJob(context, endpoint, rest);
      const seen = await runpod.waitForEnd(context, job, waitMs ?? defaultSyncMs);
      const reply = await runpod.statusOf(context, seen);
      return isTerminal(seen.state) ? reply : { id: seen.id, status: reply["status"] ?? "IN_QUEUE" };
    },
  }),
  defineTool({
    name: "get-job-status",
    description: "Get the status and the result of a job; with wait, once it has ended.",
    input: ofJob.extend({ wait: wait.describe("Maximum milliseconds to wait for the end (1000-300000)") }),
    annotations: { readOnlyHint: true },
    run: async (context, { wait: waitMs, ...ids }) => {
      const job = await find(context, ids);
      if (waitMs === undefined) return runpod.statusOf(context, job);
      const seen = await runpod.waitForEnd(context, job, waitMs);
      const reply = await runpod.statusOf(context, seen);
      return isTerminal(seen.state) ? reply : { ...reply, ...outOfTime(waitMs, "get-job-status") };
    },
  }),
  defineTool({
    name: "stream-job",
    description: "Get the stream of a job: waits for its end and returns all chunks.",
    input: ofJob,
    annotations: { readOnlyHint: true },
    run: streamJob,
  }),
  defineTool({
    name: "cancel-job",
    description: "Cancel a job that is queued or in progress.",
    input: ofJob,
    annotations: { readOnlyHint: false, idempotentHint: true },
    run: async (context, ids) => runpod.cancelJob(context, await find(context, ids), cancelWaitMs),
  }),
  defineTool({
    name: "retry-job",
    description: "Retry a job that has FAILED or TIMED_OUT, under the same id.",
    input: ofJob,
    annotations: { readOnlyHint: false },
    isOnceOnly: true,
    run: async (context, ids) => runpod.retryJob(context, await find(context, ids)),
  }),
  defineTool({
    name: "endpoint-health",
    description: "Get how many jobs and workers an endpoint has.",
    input: z.object({ endpointId }),
    annotations: { readOnlyHint: true },
    run: (context, { endpointId: endpoint }) => runpod.healthOf(context, endpoint),
  }),
  defineTool({
    name: "purge-endpoint-queue",
    description: "Remove all jobs that wait in an endpoint's queue; those in progress go on.",
    input: z.object({ endpointId }),
    annotations: { readOnlyHint: false, idempotentHint: true },
    run: (context, { endpointId: endpoint }) => runpod.purgeQueue(context, endpoint),
  }),
];

/** All chunks every time: unlike RunPod's own, a reply that gets lost loses nothing. */
async function streamJob(context: OperationContext, ids: OfJob): Promise<runpod.RunpodReply> {
  const job = await runpod.waitForEnd(context, await find(context, ids), streamBudgetMs);
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

function find(context: OperationContext, ids: OfJob): ReturnType<typeof runpod.findJobOf> {
  return runpod.findJobOf(context, ids.endpointId, ids.jobId);
}
