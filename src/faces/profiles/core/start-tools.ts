import { z } from "zod";
import type { Engine } from "../../../engine/engine.ts";
import type { WaitUntil } from "../../../engine/wait.ts";
import { describeJob } from "../../../operations/job.ts";
import type { ServerFacts } from "../../../operations/operation.ts";
import { startOperationOf, type StartOperation } from "../../../operations/start.ts";
import type { JobTool, Presenter } from "../../mcp/tools/job-tool.ts";
import { alwaysLoaded } from "./manage-tools.ts";
import { presentPage } from "./page-digest.ts";
import { nameFolder, presentJob, replyTo } from "./reply.ts";
import { maxSeconds, noteClamped } from "./wait-tool.ts";

/** For a client with tasks the default is short: it has nothing to do but wait, and some start one call after the other. */
const defaultSeconds = 10;
const defaultSecondsWithTasks = 2;

const waiting = { wait_s: z.number().min(0).optional().describe("Seconds to wait for the end, at most 45.") };
/** What is read here; the operation checks the rest. */
const argumentsSchema = z.looseObject({ ...waiting, ready: z.unknown().optional() });
type StartArguments = z.output<typeof argumentsSchema>;

/** What is special about the tool of a kind. */
interface Speciality {
  readonly meta?: JobTool["meta"];
  readonly present?: Presenter;
  readonly startedWhen?: (args: StartArguments) => WaitUntil | undefined;
  /** Undefined: the tool is not offered. */
  readonly describe?: (server: ServerFacts) => string | undefined;
}

const specialities: Readonly<Record<string, Speciality>> = {
  shell: { meta: alwaysLoaded, startedWhen: (args) => (isService(args) ? { phase: "ready" } : undefined) },
  page: { present: presentPage },
  endpoint: { describe: describeEndpoints },
};

/** The tools that start jobs: for each kind its first verb. */
export function createStartTools(server: ServerFacts, kinds: Engine["kinds"]): JobTool[] {
  return kinds.flatMap(({ name, verbs: [verb] }) => {
    if (verb === undefined) return [];
    const special = specialities[name] ?? {};
    const { tool } = verb;
    const description =
      special.describe === undefined ? (tool?.description ?? verb.description) : special.describe(server);
    return description === undefined ? [] : [toStartTool(offerOf(name, verb), { ...special, description }, server)];
  });
}

interface Offer {
  readonly operation: StartOperation;
  readonly listed: z.ZodObject;
}

const offers = new WeakMap<object, Offer>();

/** The fields that a model is shown; the others of the operation are for programs. Made once: a server is built for every request. */
function offerOf(kind: string, verb: StartOperation["verb"]): Offer {
  const known = offers.get(verb);
  if (known !== undefined) return known;
  const operation = startOperationOf(kind, verb);
  const fields = verb.tool?.fields ?? Object.keys(verb.input.shape);
  const { shape } = operation.input;
  const picked = Object.fromEntries(
    fields.flatMap((field) => (shape[field] === undefined ? [] : [[field, shape[field]]])),
  );
  const required = Object.fromEntries(
    (verb.tool?.required ?? []).map((field) => [field, z.nonoptional(picked[field])]),
  );
  const offer = { operation, listed: z.strictObject({ ...picked, ...required, ...waiting }) };
  offers.set(verb, offer);
  return offer;
}

const longestNames = 100;

function describeEndpoints({ endpoints }: ServerFacts): string | undefined {
  if (endpoints?.isUsable !== true) return undefined;
  const names = endpoints.list().map(({ name }) => name);
  const all = [...(endpoints.takesAnyId ? ["any RunPod id"] : []), ...names].join(", ");
  const shown = all.length > longestNames ? `${all.slice(0, longestNames)}…` : all;
  return `Run a job on a serverless endpoint (${shown}) in the background. A quick one is answered with its output, a long one with a job_id.`;
}

/** A command with a way to tell that it is up does not end by itself. */
function isService({ ready }: StartArguments): boolean {
  return ready !== undefined;
}

function toStartTool(
  { operation, listed }: Offer,
  { description, meta, startedWhen, present = presentJob }: Speciality & { readonly description: string },
  server: ServerFacts,
): JobTool<StartArguments> {
  return {
    name: operation.name,
    description,
    kind: operation.kind,
    input: argumentsSchema,
    listedInput: listed,
    output: undefined,
    meta,
    startedWhen,
    annotations: {
      readOnlyHint: false,
      destructiveHint: operation.verb.tool?.isHarmless !== true,
      idempotentHint: false,
      openWorldHint: true,
    },
    taskSupport: "optional",
    start: async ({ wait_s: _wait, ...call }, { engine, actor }) => {
      const { id } = await operation.call({ engine, actor, server }, call);
      return engine.get(id, actor);
    },
    waitMs: (args, hasTasks) => {
      const usual = hasTasks && !isService(args) ? defaultSecondsWithTasks : defaultSeconds;
      return Math.min(args.wait_s ?? usual, maxSeconds) * 1_000;
    },
    present,
    presentOpen: async (job, access, { wait_s: wanted = 0 }) => {
      const shown = await replyTo(
        [await describeJob(job, { ...access, server })],
        access,
        noteClamped(wanted, maxSeconds),
      );
      return { ...shown, content: [...shown.content, ...nameFolder(job)] };
    },
  };
}
