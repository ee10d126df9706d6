import type { CallToolResult, ToolAnnotations } from "@modelcontextprotocol/server";
import { z } from "zod";
import { LonghaulError } from "../../job/error.ts";
import { defineKind, type JobContext, type KindOf, type OnInterrupt } from "../../job/kind.ts";
import type { Limits } from "../../job/job.ts";
import { defined } from "../../job/defined.ts";
import type { JobTool } from "../mcp/tools/job-tool.ts";
import { presentPlainly } from "../mcp/tasks/outcome.ts";
import { toDurableContext, type DurableContext } from "./ask.ts";

/** A tool whose calls outlive the process that serves them. */
export interface DurableTool<Input extends z.ZodType, Output extends z.ZodType, State extends z.ZodType> {
  readonly title?: string;
  readonly description: string;
  readonly annotations?: ToolAnnotations;
  /** For the listing's `_meta`. */
  readonly meta?: Record<string, unknown>;
  /** The arguments: a Zod schema of an object. */
  readonly input: Input;
  /** The structured result. It is listed to clients with tasks alone: the others may get a job id instead. */
  readonly output?: Output;
  /** What the checkpoints of its runs look like. */
  readonly checkpoint?: State;
  /** How long a client without tasks waits for the end before it gets an id and the next call: 10,000 unless given, at most 240,000. */
  readonly inlineMs?: number;
  /** `required` refuses clients that take no tasks. */
  readonly taskSupport?: "optional" | "required";
  /** After a crash a run begins anew with its checkpoint (`resume`) unless this says otherwise. */
  readonly onInterrupt?: Exclude<OnInterrupt, "adopt">;
  /** How many runs at once. */
  readonly concurrency?: number;
  readonly limits?: Partial<Limits>;
  readonly run: (
    input: z.output<Input>,
    job: DurableContext<z.output<State>>,
  ) => Promise<z.input<Output> | CallToolResult>;
}

export interface DurableDefinition {
  readonly name: string;
  readonly kind: KindOf<unknown, unknown>;
  readonly tool: JobTool;
}

const defaultInlineMs = 10_000;
/** Clients that follow progress give up after five minutes, others sooner. */
const maxInlineMs = 240_000;

export function defineDurableTool<Input extends z.ZodType, Output extends z.ZodType, State extends z.ZodType>(
  name: string,
  given: DurableTool<Input, Output, State>,
  presentOpen: JobTool["presentOpen"],
): DurableDefinition & { readonly kind: KindOf<z.input<Input>, z.output<Output>> } {
  const { input, output, inlineMs = defaultInlineMs, taskSupport = "optional", onInterrupt = "resume" } = given;
  checkInput(name, input);
  checkInlineMs(name, inlineMs);
  const { title, description, annotations, meta, checkpoint, concurrency, limits } = given;
  const kind = defineKind({
    name,
    input,
    onInterrupt,
    ...defined({ concurrency, limits, checkpoint }),
    run: (args, context) =>
      given.run(args, toDurableContext(context as JobContext<z.output<State>>)) as Promise<unknown>,
  });
  const tool: JobTool = {
    name,
    description,
    ...defined({ title, annotations, meta }),
    // What is sent is what the job gets: the kind checks it, once when the job is made and once when it runs.
    input: anything,
    listedInput: input,
    isListedInFull: true,
    output,
    kind: name,
    taskSupport,
    start: (args, { engine, actor }) => engine.submit({ kind: name, input: args }, actor),
    waitMs: (_args, hasTasks) => (hasTasks ? 0 : inlineMs),
    present: presentPlainly,
    ...defined({ presentOpen }),
  };
  return {
    name,
    tool,
    kind: output === undefined ? kind : { ...kind, result: z.union([output, toolResult]) },
  } as DurableDefinition & { readonly kind: KindOf<z.input<Input>, z.output<Output>> };
}

const anything = z.looseObject({});
/** A run may return a whole result, too: with pictures, or as an error. */
const toolResult = z.looseObject({ content: z.array(z.looseObject({ type: z.string() })) });

function checkInput(name: string, input: z.ZodType): void {
  if (input instanceof z.ZodType && schemaType(input) === "object") return;
  throw new LonghaulError("invalid_input", `The input of the tool "${name}" must be a Zod 4 schema of an object.`);
}

function schemaType(schema: z.ZodType): unknown {
  return z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }).type;
}

function checkInlineMs(name: string, inlineMs: number): void {
  if (inlineMs >= 0 && inlineMs <= maxInlineMs) return;
  throw new LonghaulError(
    "invalid_input",
    `inlineMs of the tool "${name}" must be from 0 to ${maxInlineMs}, got ${inlineMs}: a client that waits longer gives up.`,
  );
}
