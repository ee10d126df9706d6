import type { ToolAnnotations } from "@modelcontextprotocol/server";
import { z } from "zod";
import { isRecord } from "../../../job/is-record.ts";
import { parseInput } from "../../../job/issue.ts";
import { defineTool, type CallContext, type Tool } from "../profile.ts";
import { RunpodRefusal } from "./runpod-error.ts";
import type { RunpodReply } from "./runpod-operations.ts";

interface RunpodTool<Input extends z.ZodObject> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: Input;
  readonly annotations: ToolAnnotations;
  readonly isOnceOnly?: boolean;
  readonly run: (context: CallContext, input: z.output<Input>) => Promise<RunpodReply>;
}

/** As clients of RunPod's server know them: what only reads, what does something. All of it is in the world outside. */
export const reads: ToolAnnotations = { readOnlyHint: true, openWorldHint: true };
export const writes: ToolAnnotations = { readOnlyHint: false, openWorldHint: true };

/** A tool that refuses arguments in the words of RunPod's server: what is missing, and what it does not know. */
export function defineRunpodTool<Input extends z.ZodObject>(tool: RunpodTool<Input>): Tool<RunpodReply> {
  const { name, title, description, input, annotations, isOnceOnly = false, run } = tool;
  return defineTool({
    name,
    title,
    description,
    annotations: { title, ...annotations },
    isOnceOnly,
    listedInput: input,
    input: z.unknown(),
    run: async (context, args) => {
      checkNames(input, isRecord(args) ? args : {});
      return run(context, parseInput(input, args, name));
    },
  });
}

function checkNames(input: z.ZodObject, args: Record<string, unknown>): void {
  const received = Object.keys(args);
  const expected = Object.keys(input.shape).filter((name) => !isOptional(input.shape[name]));
  const missing = expected.filter((name) => args[name] === undefined || args[name] === null);
  if (missing.length > 0) {
    throw new RunpodRefusal(`Missing required ${listed("argument", missing)}`, { expected, received });
  }
  const accepted = Object.keys(input.shape);
  const unknown = received.filter((name) => !accepted.includes(name));
  if (unknown.length > 0) throw new RunpodRefusal(`Unknown ${listed("argument", unknown)}`, { accepted });
}

function isOptional(schema: z.core.$ZodType | undefined): boolean {
  return z.safeParse(schema ?? z.unknown(), undefined).success;
}

function listed(what: string, names: readonly string[]): string {
  return `${what}${names.length > 1 ? "s" : ""}: ${names.join(", ").slice(0, 300)}`;
}
