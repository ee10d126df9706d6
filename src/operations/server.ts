import { z } from "zod";
import { isServerAdmin, seesAll } from "../engine/access.ts";
import { defined } from "../job/defined.ts";
import type { Json } from "../job/json.ts";
import { schemaToJson } from "../job/schema-to-json.ts";
import { defineOperation, type Gauges } from "./operation.ts";
import { startOperationOf, startPath } from "./start.ts";

const gaugeFields = {
  disk: z
    .object({ database_bytes: z.int().optional(), free_bytes: z.int(), total_bytes: z.int() })
    .optional()
    .describe("Of the server's folder; told to whoever sees all of the server."),
  event_loop_lag_ms: z
    .object({ p50: z.number(), p99: z.number(), max: z.number() })
    .optional()
    .describe("How late the server's event loop was in the last seconds."),
};

export const serverStatus = defineOperation({
  name: "server_status",
  scope: "read",
  description: "Show the server: version, process, memory, where its files are, and how many jobs it has.",
  input: z.strictObject({}),
  output: z.object({
    version: z.string(),
    pid: z.int(),
    started_at: z.string(),
    home: z.string().optional().describe("Where its files are; told to whoever looks after the whole server."),
    url: z.string().optional(),
    program: z.string().optional().describe("Runs the jobs in a process of its own: this is no Longhaul server."),
    problems: z
      .array(z.string())
      .readonly()
      .optional()
      .describe(
        "What went wrong at the start, such as kinds that could not be loaded; told to whoever looks after the server.",
      ),
    memory_bytes: z.int(),
    ...gaugeFields,
    paused_kinds: z.array(z.string()),
    jobs: z.record(z.string(), z.int()).describe("How many jobs are in each state."),
  }),
  run: async ({ engine, actor, server }) => {
    const jobs: Record<string, number> = {};
    for (const { status, count } of await engine.count({}, actor)) {
      jobs[status] = (jobs[status] ?? 0) + count;
    }
    return {
      version: server.version,
      pid: process.pid,
      started_at: new Date(server.startedAt).toISOString(),
      ...(isServerAdmin(actor) ? defined({ home: server.home, problems: server.problems }) : {}),
      url: server.url,
      program: server.program,
      memory_bytes: process.memoryUsage.rss(),
      ...(seesAll(actor) ? await showGauges(server.gauges) : {}),
      paused_kinds: await engine.pausedKinds(),
      jobs,
    };
  },
});

type ShownGauges = { [Name in keyof typeof gaugeFields]?: z.input<(typeof gaugeFields)[Name]> };

async function showGauges(gauges: Gauges | undefined): Promise<ShownGauges> {
  if (gauges === undefined) return {};
  const disk = await gauges.disk();
  return {
    event_loop_lag_ms: gauges.lag(),
    ...(disk === undefined
      ? {}
      : {
          disk: {
            ...defined({ database_bytes: disk.databaseBytes }),
            free_bytes: disk.freeBytes,
            total_bytes: disk.totalBytes,
          },
        }),
  };
}

const schemas = new WeakMap<z.ZodType, Record<string, Json>>();

/** Made once: it takes milliseconds. */
function toJsonSchema(schema: z.ZodType): Record<string, Json> {
  const made = schemas.get(schema) ?? (schemaToJson(schema, "input") as Record<string, Json>);
  schemas.set(schema, made);
  return made;
}

export const kindList = defineOperation({
  name: "kind_list",
  scope: "read",
  description:
    "List the kinds of job: how each goes on after an interruption, its input as a JSON schema, and its jobs.",
  input: z.strictObject({}),
  output: z.object({
    kinds: z.array(
      z.object({
        name: z.string(),
        on_interrupt: z.enum(["adopt", "resume", "restart", "fail"]),
        concurrency: z.int().describe("How many run at once."),
        paused: z.boolean(),
        jobs: z.record(z.string(), z.int()).describe("How many jobs are in each state."),
        input: z.record(z.string(), z.json()).describe("The JSON schema of the input."),
        verbs: z
          .array(
            z.object({
              name: z.string(),
              description: z.string(),
              path: z.string().describe("Where HTTP takes it."),
              input: z
                .record(z.string(), z.json())
                .describe("The JSON schema of what it takes: a form can be made from it."),
            }),
          )
          .describe("The ways to start it, besides job_submit."),
      }),
    ),
  }),
  run: async ({ engine, actor }) => {
    const paused = await engine.pausedKinds();
    const counts = await engine.count({}, actor);
    const kinds = engine.kinds.map(({ name, onInterrupt, concurrency, input, verbs }) => ({
      name,
      on_interrupt: onInterrupt,
      concurrency,
      paused: paused.includes(name),
      jobs: Object.fromEntries(counts.filter(({ kind }) => kind === name).map(({ status, count }) => [status, count])),
      input: toJsonSchema(input),
      verbs: verbs.map((verb) => {
        const start = startOperationOf(name, verb);
        return {
          name: start.name,
          description: start.description,
          path: startPath(verb),
          input: toJsonSchema(start.input),
        };
      }),
    }));
    return { kinds };
  },
});

const kindInput = z.strictObject({ kind: z.string() });
const kindOutput = z.object({ paused_kinds: z.array(z.string()) });

export const kindPause = defineOperation({
  name: "kind_pause",
  scope: "admin",
  description: "Start no more jobs of a kind; running ones go on, new ones queue.",
  input: kindInput,
  output: kindOutput,
  run: async ({ engine, actor }, { kind }) => {
    await engine.pause(kind, actor);
    return { paused_kinds: await engine.pausedKinds() };
  },
});

export const kindResume = defineOperation({
  name: "kind_resume",
  scope: "admin",
  description: "Start jobs of a paused kind again.",
  input: kindInput,
  output: kindOutput,
  run: async ({ engine, actor }, { kind }) => {
    await engine.resume(kind, actor);
    return { paused_kinds: await engine.pausedKinds() };
  },
});

export const jobsPrune = defineOperation({
  name: "jobs_prune",
  scope: "admin",
  description:
    "Remove finished jobs, and pages of the design library, whose time has ended, now instead of at the next round.",
  input: z.strictObject({}),
  output: z.object({ removed: z.int(), removed_pages: z.int().optional().describe("Of the design library.") }),
  run: async ({ engine, actor, server }) => ({
    removed: await engine.prune(actor),
    removed_pages: await server.library?.prune(Date.now()),
  }),
});
