import { z } from "zod";
import { parseInput } from "../../../job/issue.ts";
import { JobFailure } from "../../../job/failure.ts";
import type { Json } from "../../../job/json.ts";
import { compileJsonSchema } from "../../../text/json-schema.ts";
import { defineTool, type AgentTool } from "./agent-tool.ts";

export const giveUpTool: AgentTool = defineTool({
  name: "give_up",
  description: "End the task as failed, when it cannot be done.",
  input: z.object({ reason: z.string().min(1).max(4_000) }),
  brief: ({ reason }) => reason,
  run: async ({ reason }) => {
    throw new JobFailure("gave_up", reason, { retryable: false });
  },
});

/** Takes the result by the caller's own schema; what does not fit is told to the model, which tries again. */
export function createSubmitTool(schema: Record<string, Json>, take: (data: Json) => void): AgentTool {
  const validator = toValidator(schema);
  // A tool's arguments are an object: any other result is wrapped in one.
  const isObject = schema["type"] === "object";
  const parameters = isObject ? schema : { type: "object", properties: { result: schema }, required: ["result"] };
  return {
    name: "submit_result",
    description: "Hand in the result and end the task.",
    parameters,
    changes: undefined,
    isReader: () => false,
    isUnrepeatable: false,
    brief: (input) => JSON.stringify(input),
    preview: (input) => JSON.stringify(input),
    run: async (input) => {
      const given = isObject ? input : (input as { result?: unknown } | null)?.result;
      take(parseInput(validator, given, "The result") as Json);
      return "Taken.";
    },
    verify: async () => undefined,
  };
}

/** Refuses a schema that cannot be checked. */
export function toValidator(schema: Record<string, Json>): z.ZodType {
  return compileJsonSchema(schema, "output_schema");
}
