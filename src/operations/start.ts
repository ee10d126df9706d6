import { z } from "zod";
import { demand } from "../engine/access.ts";
import type { SubmitRequest } from "../engine/submit.ts";
import type { StartVerb } from "../job/contract.ts";
import { parseInput } from "../job/issue.ts";
import { notifyOccasions } from "../job/notify.ts";
import { placeSchema } from "../job/place.ts";
import { webhookSchema } from "../job/webhook.ts";
import { createPacer } from "../text/pacer.ts";
import { findJob } from "./job-reference.ts";
import { startedJobSchema, toStartedJob } from "./job-view.ts";
import type { Operation, OperationContext } from "./operation.ts";

const duration = z
  .int()
  .min(1)
  .max(366 * 24 * 3_600_000);

/** What every start of a job takes, whatever its kind. */
export const startFields = {
  name: z.string().min(1).max(200).optional().describe("A name to find the job by."),
  tags: z.array(z.string().min(1).max(200)).max(50).optional(),
  batch: z.string().min(1).max(200).optional().describe("Groups jobs that belong together."),
  priority: z.int().min(-1_000).max(1_000).optional(),
  after: z.array(z.string()).max(1_000).optional().describe("Run after these jobs have succeeded."),
  delay_ms: z.int().min(0).optional(),
  idempotency_key: z.string().min(1).max(200).optional(),
  timeout_ms: duration.optional().describe("Most time one attempt may run."),
  idle_timeout_ms: duration.optional().describe("Most time without output, progress or use of the processor."),
  attempts: z.int().min(1).max(100).optional().describe("How often to try in all."),
  place: placeSchema.optional().describe("The machine to run on, or a label that its machine must have."),
  webhook: webhookSchema.optional().describe("Where to post the job's end and its questions."),
  notify: z
    .array(z.string())
    .max(10)
    .optional()
    .describe(
      "Whom to tell in a line: desktop, or URLs such as ntfy://ntfy.sh/my-topic; none of the server's own if it is empty.",
    ),
  notify_on: z
    .array(z.enum(notifyOccasions))
    .min(1)
    .optional()
    .describe("On which occasions; the end, questions and stalls unless given."),
};

const startSchema = z.strictObject(startFields);
const startNames = new Set(Object.keys(startFields));

type StartInput<Input extends z.ZodObject> = z.ZodObject<typeof startFields & Input["shape"], z.core.$strict>;

/** Starts a job of one kind in that kind's own words. */
export interface StartOperation<
  Name extends string = string,
  Input extends z.ZodObject = z.ZodObject,
> extends Operation<Name, StartInput<Input>, typeof startedJobSchema> {
  readonly kind: string;
  readonly verb: StartVerb<Name, Input>;
  /** Checks the names that a call gives, and what every start takes; says what the engine is to be asked for. */
  toRequest(context: Pick<OperationContext, "engine" | "actor">, given: unknown): Promise<SubmitRequest>;
}

/** Where HTTP offers a verb. */
export function startPath({ name, path = `/v1/start/${name}` }: StartVerb): string {
  return path;
}

const made = new WeakMap<object, StartOperation>();

/** The one that there is for the verb, so that what is made from its schemas is made once. */
export function startOperationOf(kind: string, verb: StartVerb): StartOperation {
  return made.get(verb) ?? startOperation(kind, verb);
}

/** The names are checked here, and what every start takes; the engine checks the rest, as it does for every job. */
export function startOperation<Name extends string, Input extends z.ZodObject>(
  kind: string,
  verb: StartVerb<Name, Input>,
): StartOperation<Name, Input> {
  const { name, description } = verb;
  const input = z.strictObject({ ...startFields, ...verb.input.shape });
  const names = z.strictObject(
    Object.fromEntries(Object.keys(input.shape).map((field) => [field, z.unknown().optional()])),
  );
  const operation: StartOperation<Name, Input> = {
    kind,
    verb,
    name,
    scope: "run",
    description,
    input,
    output: startedJobSchema,
    toRequest: async (context, given) => {
      const { start, own } = splitFields(parseInput(names, given ?? {}, name), name);
      return { kind, input: { ...verb.adds, ...own }, ...(await toStart(start, context)) };
    },
    call: async (context, given) => {
      demand(context.actor, "run");
      const request = await operation.toRequest(context, given);
      const [started] = (await context.engine.submitKeyed([request], context.actor)).map(toStartedJob);
      if (started === undefined) throw new Error("A job was submitted, and none was made.");
      return started;
    },
  };
  made.set(verb, operation);
  return operation;
}

type StartFields = z.output<typeof startSchema>;

function splitFields(fields: object, what: string): { start: StartFields; own: Record<string, unknown> } {
  const start: Record<string, unknown> = {};
  const own: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(fields)) (startNames.has(field) ? start : own)[field] = value;
  return { start: parseInput(startSchema, start, what), own };
}

/** What the engine is told of a start, besides the kind and its input. What `after` names is looked up, unless it is a ref of the same call. */
export async function toStart(
  fields: StartFields,
  { engine, actor }: Pick<OperationContext, "engine" | "actor">,
  refs: ReadonlySet<string> = new Set(),
): Promise<Omit<SubmitRequest, "kind" | "input">> {
  const pace = createPacer();
  const dependsOn: string[] = [];
  for (const wanted of fields.after ?? []) {
    await pace();
    dependsOn.push(refs.has(wanted) ? wanted : (await findJob(engine, wanted, actor)).id);
  }
  return {
    dependsOn,
    name: fields.name,
    tags: fields.tags,
    batch: fields.batch,
    priority: fields.priority,
    delayMs: fields.delay_ms,
    idempotencyKey: fields.idempotency_key,
    place: fields.place,
    webhook: fields.webhook,
    notify:
      fields.notify === undefined && fields.notify_on === undefined
        ? undefined
        : { to: fields.notify, on: fields.notify_on },
    limits: { runMs: fields.timeout_ms, idleMs: fields.idle_timeout_ms, attempts: fields.attempts },
  };
}
