import type { ContentBlock, ToolAnnotations } from "@modelcontextprotocol/server";
import type { z } from "zod";
import type { OperationContext } from "../../../operations/operation.ts";
import type { IgnoredParameter } from "./ignored-parameters.ts";

export interface ReftrixReply {
  readonly data: Readonly<Record<string, unknown>>;
  /** The reply to an asynchronous submit stands by itself. */
  readonly isUnwrapped?: boolean;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly links?: readonly ContentBlock[];
}

/** What a tool says of parameters that it could not honour. */
export interface Warning {
  readonly feature: string;
  readonly code: string;
  readonly message: string;
}

export interface ReftrixTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: z.ZodObject;
  readonly annotations: ToolAnnotations;
  /** Accepted because clients send them, answered with a warning because nothing can be done with them. */
  readonly ignored?: readonly IgnoredParameter[];
  readonly run: (context: OperationContext, input: never, warnings: readonly Warning[]) => Promise<ReftrixReply>;
}

export const opensPages = { readOnlyHint: true, idempotentHint: true, openWorldHint: true };
export const looksUp = { readOnlyHint: true, idempotentHint: true, openWorldHint: false };
