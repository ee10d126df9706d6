import type { CallToolResult, ServerContext } from "@modelcontextprotocol/server";
import type { z } from "zod";
import { parseInput } from "../../job/issue.ts";
import { toolError } from "./outcome.ts";
import { withProgress } from "./wait-for-end.ts";

interface PlainTool<Reply> {
  readonly name: string;
  readonly input: z.ZodType;
  /** Pictures of the reply (PNG, base64) that are shown beside it. */
  readonly images?: (reply: Reply) => readonly string[];
}

interface Answering<Reply> {
  readonly run: (input: never) => Promise<Reply>;
  /** An error in the words that the profile's clients know. */
  readonly describe: (error: unknown) => string;
}

/** Checks the arguments, runs, and answers with the reply as pretty JSON. */
export async function answerInJson<Reply extends Record<string, unknown>>(
  tool: PlainTool<Reply>,
  args: unknown,
  request: ServerContext,
  { run, describe }: Answering<Reply>,
): Promise<CallToolResult> {
  try {
    const input: unknown = parseInput(tool.input, args, `The call of ${tool.name}`);
    const reply = await withProgress(run(input as never), request);
    const images = (tool.images?.(reply) ?? []).map((data) => ({
      type: "image" as const,
      data,
      mimeType: "image/png",
    }));
    const text = { type: "text" as const, text: JSON.stringify(reply, null, 2) };
    return { content: [text, ...images], structuredContent: reply };
  } catch (error) {
    return toolError(describe(error));
  }
}
