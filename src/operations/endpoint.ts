import { z } from "zod";
import { demandAllOwners, demandKind } from "../engine/access.ts";
import { LonghaulError } from "../job/error.ts";
import { endpointTag } from "../kinds/endpoint/contract.ts";
import type { Job } from "../job/job.ts";
import type { JobStatus } from "../job/state.ts";
import type { Endpoints } from "./endpoints.ts";
import { listMatching } from "./filter.ts";
import { defineOperation, type OperationContext } from "./operation.ts";

const endpoint = z.string().min(1).max(64).describe("The endpoint's name.");

export const endpointList = defineOperation({
  name: "endpoint_list",
  scope: "read",
  description: "List the endpoints that are configured.",
  input: z.strictObject({}),
  output: z.object({
    endpoints: z.array(
      z.object({
        name: z.string(),
        type: z.enum(["runpod", "local"]),
        mode: z.enum(["warm", "per_job"]).optional(),
        concurrency: z.int(),
      }),
    ),
    any_runpod: z.boolean().describe("Any RunPod endpoint can be used by its id."),
  }),
  run: async ({ server: { endpoints } }) => ({
    endpoints: [...(endpoints?.list() ?? [])],
    any_runpod: endpoints?.takesAnyId ?? false,
  }),
});

const count = z.int();

export const endpointHealth = defineOperation({
  name: "endpoint_health",
  scope: "read",
  description: "Show how many jobs and workers an endpoint has, and what keeps its queue waiting.",
  input: z.strictObject({ endpoint }),
  output: z.object({
    endpoint: z.string(),
    jobs: z.object({ completed: count, failed: count, inProgress: count, inQueue: count, retried: count }),
    workers: z.object({
      idle: count,
      initializing: count,
      ready: count,
      running: count,
      throttled: count,
      unhealthy: count,
    }),
    hint: z.string().optional().describe("Why jobs wait, if any do."),
  }),
  run: async (context, { endpoint: name }) => {
    const endpoints = requireEndpoints(context);
    const { jobs, workers } = await endpoints.health(name);
    let queuedHere = 0;
    for await (const page of listJobsOf(name, "queued", context)) queuedHere += page.length;
    const inQueue = jobs.inQueue + queuedHere;
    const hint = inQueue === 0 ? undefined : (await endpoints.queueHint(name))?.hint;
    return { endpoint: name, jobs: { ...jobs, inQueue }, workers, hint };
  },
});

export const endpointPurge = defineOperation({
  name: "endpoint_purge",
  scope: "admin",
  description: "Cancel all jobs that wait in an endpoint's queue, here and on its platform.",
  input: z.strictObject({ endpoint }),
  output: z.object({ removed: z.int(), status: z.literal("completed") }),
  run: async (context, { endpoint: name }) => {
    const endpoints = requireEndpoints(context);
    // A platform's queue is emptied for everybody.
    demandAllOwners(context.actor);
    let removedHere = 0;
    const cancel = (jobs: readonly Job[]): Promise<unknown> =>
      Promise.all(jobs.map(({ id }) => context.engine.cancel(id, "its endpoint's queue was purged", context.actor)));
    for await (const page of listJobsOf(name, "queued", context)) {
      await cancel(page);
      removedHere += page.length;
    }
    const removed = await endpoints.purge(name);
    // Ours are among those that the platform has just removed; they end as cancelled, not as lost.
    for await (const page of listJobsOf(name, "running", context)) await cancel(page.filter(isQueuedUpstream));
    return { removed: removedHere + removed, status: "completed" as const };
  },
});

/** Whether the job waits on its platform: here it runs, because it is followed. */
export function isQueuedUpstream({ state }: Job): boolean {
  return state.status === "running" && state.progress?.phase === "queued";
}

function listJobsOf(name: string, state: JobStatus, context: OperationContext): AsyncGenerator<readonly Job[]> {
  return listMatching({ kind: ["endpoint"], tag: [endpointTag(name)] }, [state], context);
}

/** Throws unless there are endpoints that the caller may use. */
export function requireEndpoints({ server, actor }: OperationContext): Endpoints {
  demandKind(actor, "endpoint");
  if (server.endpoints !== undefined) return server.endpoints;
  throw new LonghaulError("not_found", "This server runs no jobs on endpoints.");
}
