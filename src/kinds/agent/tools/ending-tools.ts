import { z } from "zod";
import { parseInput } from "../../../job/issue.ts";
import { JobFailure, messageOf } from "../../../job/failure.ts";
import { LonghaulError } from "../../../job/error.ts";
import type { Json } from "../../../job/json.ts";
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
    isChange: false,
    isUnrepeatable: false,
    brief: (input) => JSON.stringify(input),
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
  try {
    return z.fromJSONSchema(withoutPatterns(schema) as Parameters<typeof z.fromJSONSchema>[0]);
  } catch (error) {
    throw new LonghaulError(
      "invalid_input",
      `output_schema is no JSON Schema that can be checked: ${messageOf(error)}.`,
      {
        cause: error,
      },
    );
  }
}

/** The model is shown patterns, but they are not run here: one that backtracks could hang the server. */
function withoutPatterns(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutPatterns);
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(
    ([key, inner]) => !(key === "pattern" && typeof inner === "string") && key !== "patternProperties",
  );
  return Object.fromEntries(kept.map(([key, inner]) => [key, withoutPatterns(inner)]));
}
