import { isInputRequiredResult } from "@modelcontextprotocol/server";
import type { CallToolResult, InputRequiredResult, ServerContext, ToolAnnotations } from "@modelcontextprotocol/server";
import type { z } from "zod";
import type { Actor } from "../../../engine/access.ts";
import type { Engine } from "../../../engine/engine.ts";
import type { WaitUntil } from "../../../engine/wait.ts";
import type { Job } from "../../../job/job.ts";
import type { Json } from "../../../job/json.ts";
import { endMessage, toolError } from "../tasks/outcome.ts";

/** Shows a finished job as the result of the tool call that started it. */
export type Presenter = (job: Job, access: JobAccess) => Promise<CallToolResult>;

/** Jobs, as one caller may see them. */
export interface JobAccess {
  readonly engine: Engine;
  readonly actor: Actor;
}

export interface ToolCall extends JobAccess {
  readonly context: ServerContext;
}

/** How a tool is listed. */
export interface ToolFace {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly annotations?: ToolAnnotations;
  /** For the listing's `_meta`. */
  readonly meta?: Record<string, unknown>;
}

/** A tool whose calls start jobs. */
export interface JobTool<Arguments = unknown> extends ToolFace {
  /** What the arguments are checked against. */
  readonly input: z.ZodType<Arguments>;
  /** What is listed instead, where the rest is checked when the job is made. */
  readonly listedInput?: z.ZodType;
  /** Lists every bound of the schemas, where the author's word counts and not a model's tokens. */
  readonly isListedInFull?: boolean;
  readonly output: z.ZodType | undefined;
  readonly kind: string;
  /** `required` refuses clients that take no tasks. */
  readonly taskSupport: "optional" | "required";
  /** Makes the job; or asks the caller first, before anything is made. */
  start(args: Arguments, call: ToolCall): Promise<Job | InputRequiredResult>;
  /** How long a call waits for the end before it answers with a task, or without tasks with a handle. */
  waitMs(args: Arguments, hasTasks: boolean): number;
  /** What ends the wait of a call besides the end and a question; the job goes on then, and the call is answered without a task. */
  startedWhen?(args: Arguments): WaitUntil | undefined;
  readonly present: Presenter | undefined;
  /** The answer to a client without tasks when the job has not ended in time. */
  presentOpen?(job: Job, access: JobAccess, args: Arguments): Promise<CallToolResult>;
}

export interface JobToolDefinition<Input extends z.ZodType> extends ToolFace {
  readonly inputSchema: Input;
  readonly outputSchema?: z.ZodType;
  /** The kind of job to start. */
  readonly kind: string;
  readonly taskSupport?: "optional" | "required";
  /**
   * The input of the kind, from the arguments of the tool: the arguments themselves unless given. May return an
   * `inputRequired(…)` result to ask the caller before a job is made.
   */
  readonly toInput?: (args: z.output<Input>, context: ServerContext) => unknown;
  /** The tool's result, from what the kind returned. */
  readonly toResult?: (result: Json, job: Job) => CallToolResult;
  /** How long to wait for the end before a client with tasks gets one. At once unless given. */
  readonly waitMs?: number;
  /** How long a client without tasks waits for the end before it gets the job's id: 10 s unless given. */
  readonly inlineMs?: number;
}

const defaultInlineMs = 10_000;

export function defineJobTool<Input extends z.ZodType>(definition: JobToolDefinition<Input>): JobTool<z.output<Input>> {
  const { inputSchema, outputSchema, toInput, toResult, waitMs = 0, inlineMs = defaultInlineMs, ...face } = definition;
  return {
    ...face,
    input: inputSchema as z.ZodType<z.output<Input>>,
    output: outputSchema,
    isListedInFull: true,
    taskSupport: definition.taskSupport ?? "optional",
    start: async (args, { engine, actor, context }) => {
      const input = toInput === undefined ? args : await toInput(args, context);
      if (isInputRequiredResult(input)) return input;
      return engine.submit({ kind: definition.kind, input }, actor);
    },
    waitMs: (_args, hasTasks) => (hasTasks ? waitMs : inlineMs),
    present:
      toResult === undefined
        ? undefined
        : async (job, { engine, actor }) =>
            job.state.status === "succeeded"
              ? toResult(await engine.result(job.id, actor), job)
              : toolError(endMessage(job)),
  };
}
