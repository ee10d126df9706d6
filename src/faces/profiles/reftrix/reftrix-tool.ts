import type { ContentBlock } from "@modelcontextprotocol/server";
import type { z } from "zod";
import { defineTool, type CallContext, type Tool, type ToolDefinition } from "../profile.ts";
import { inWordsOf } from "./error-codes.ts";
import { warnOfIgnored, type IgnoredParameter, type Warning } from "./ignored-parameters.ts";

export interface ReftrixReply {
  readonly data: Readonly<Record<string, unknown>>;
  /** The reply to an asynchronous submit stands by itself. */
  readonly isUnwrapped?: boolean;
  /** Beside the data. */
  readonly beside?: Readonly<Record<string, unknown>>;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly links?: readonly ContentBlock[];
}

interface ReftrixTool<Input extends z.ZodType> extends Omit<ToolDefinition<Input, ReftrixReply>, "run"> {
  /** Accepted because clients send them, answered with a warning because nothing can be done with them. */
  readonly ignored?: readonly IgnoredParameter[];
  /** Words of its own for codes of errors. */
  readonly codes?: Readonly<Record<string, string>>;
  readonly run: (context: CallContext, input: z.output<Input>, warnings: readonly Warning[]) => Promise<ReftrixReply>;
}

/** Adds to a reply what its call asked for in vain. */
export function defineReftrixTool<Input extends z.ZodType>(tool: ReftrixTool<Input>): Tool<ReftrixReply> {
  const { ignored = [], codes = {}, run, ...described } = tool;
  return defineTool({
    ...described,
    run: async (context, input, { value, unknown }) => {
      const warnings = warnOfIgnored(ignored, unknown, value);
      const reply = await run(context, input, warnings).catch((error: unknown) => {
        throw inWordsOf(codes, error);
      });
      return warnings.length > 0 && !("warnings" in reply.data)
        ? { ...reply, data: { ...reply.data, warnings } }
        : reply;
    },
  });
}

export const opensPages = { readOnlyHint: true, idempotentHint: true, openWorldHint: true };
export const looksUp = { readOnlyHint: true, idempotentHint: true, openWorldHint: false };
export const keepsPages = { readOnlyHint: false, idempotentHint: false, openWorldHint: true };
