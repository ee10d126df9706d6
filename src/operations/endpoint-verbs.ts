import { z } from "zod";
import { demandKind } from "../engine/access.ts";
import { defined } from "../job/defined.ts";
import { LonghaulError } from "../job/error.ts";
import type { Job } from "../job/job.ts";
import type { JobStatus } from "../job/state.ts";
import type { Endpoints } from "./endpoints.ts";
import { listMatching } from "./filter.ts";
import { jobViewSchema, toJobView } from "./job-view.ts";
import { defineOperation, type OperationContext } from "./operation.ts";
import { startFields, toStart } from "./run-command.ts";

const endpoint = z.string().min(1).max(64).describe("The endpoint's name.");

export const runEndpoint = defineOperation({
  name: "run_endpoint",
  scope: "run",
  description: "Run a job on an endpoint, remote or local. A remote job is submitted once and followed to its end.",
  input: z.strictObject({
    ...startFields,
    // One less than usual: the endpoint itself is a tag.
    tags: z.array(z.string().min(1).max(200)).max(49).optional(),
    endpoint,
    input: z.record(z.string(), z.unknown()).describe("What the endpoint's handler is given."),
    policy: z
      .strictObject({
        executionTimeout: z.int().optional().describe("Most milliseconds the job may run."),
        ttl: z.int().optional().describe("Most milliseconds from submit to the end."),
        lowPriority: z.boolean().optional(),
      })
      .optional(),
    s3Config: z
      .strictObject({
        accessId: z.string(),
        accessSecret: z.string(),
        bucketName: z.string(),
        endpointUrl: z.string(),
        objectPath: z.string().optional(),
      })
      .optional()
      .describe("Where a remote worker puts files. Its secrets are hidden wherever the job is shown."),
    platform_webhook: z.string().optional().describe("A URL that the platform calls when its job has ended."),
  }),
  output: jobViewSchema,
  run: async (context, call) => {
    requireEndpoints(context);
    const { endpoint: name, input, policy, s3Config, platform_webhook: webhook } = call;
    const tags = [endpointTag(name), ...(call.tags ?? [])];
    const priority = call.priority ?? (policy?.lowPriority === true ? -1 : undefined);
    const request = {
      kind: "endpoint",
      input: { endpoint: name, input, ...defined({ policy, s3Config, webhook }) },
      ...(await toStart({ ...call, tags, priority }, context)),
    };
    const job = await context.engine.submit(request, context.actor);
    return toJobView(job);
  },
});

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
    const queuedHere = (await listJobsOf(name, ["queued"], context)).length;
    const inQueue = jobs.inQueue + queuedHere;
    const hint = inQueue === 0 ? undefined : (await endpoints.queueHint(name))?.hint;
    return { endpoint: name, jobs: { ...jobs, inQueue }, workers, ...defined({ hint }) };
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
    const cancel = (jobs: readonly Job[]): Promise<unknown> =>
      Promise.all(jobs.map(({ id }) => context.engine.cancel(id, "its endpoint's queue was purged", context.actor)));
    const queued = await listJobsOf(name, ["queued"], context);
    await cancel(queued);
    const removed = await endpoints.purge(name);
    // Ours are among those that the platform has just removed; they end as cancelled, not as lost.
    await cancel((await listJobsOf(name, ["running"], context)).filter(isQueuedUpstream));
    return { removed: queued.length + removed, status: "completed" as const };
  },
});

/** Whether the job waits on its platform: here it runs, because it is followed. */
export function isQueuedUpstream({ state }: Job): boolean {
  return state.status === "running" && state.progress?.phase === "queued";
}

function listJobsOf(name: string, state: JobStatus[], context: OperationContext): Promise<Job[]> {
  return listMatching(context.engine, { kind: "endpoint", tag: endpointTag(name), state }, context);
}

/** Jobs of an endpoint are found by this tag. */
function endpointTag(name: string): string {
  return `endpoint:${name}`;
}

function requireEndpoints({ server, actor }: OperationContext): Endpoints {
  demandKind(actor, "endpoint");
  if (server.endpoints !== undefined) return server.endpoints;
  throw new LonghaulError("not_found", "This server runs no jobs on endpoints.");
}
