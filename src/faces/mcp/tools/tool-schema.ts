import type { StandardSchemaWithJSON } from "@modelcontextprotocol/server";
import type { z } from "zod";
import { schemaToJson, type JsonSchema } from "../../../job/schema-to-json.ts";

const converted = new WeakMap<z.ZodType, { input?: JsonSchema; output?: JsonSchema }>();

/**
 * A schema for the listing of a tool. It lets every value pass: the tool parses it itself, because the sentence it then says is
 * clearer. The JSON Schema is made once per schema, not once per request.
 */
export function toToolSchema(
  schema: z.ZodType,
  toJson: typeof toJsonSchema = toJsonSchema,
): StandardSchemaWithJSON<Record<string, unknown>> {
  return {
    "~standard": {
      version: 1,
      vendor: "longhaul",
      validate: (value) => ({ value: (value ?? {}) as Record<string, unknown> }),
      jsonSchema: {
        input: () => toJson(schema, "input"),
        output: () => toJson(schema, "output"),
      },
    },
  };
}

export function toJsonSchema(schema: z.ZodType, io: "input" | "output"): JsonSchema {
  const known = converted.get(schema) ?? {};
  converted.set(schema, known);
  return (known[io] ??= compact(schemaToJson(schema, io), io) as JsonSchema);
}

/** The same with every bound, for tools whose clients rely on what is listed. */
export function toFullToolSchema(schema: z.ZodType): StandardSchemaWithJSON<Record<string, unknown>> {
  return toToolSchema(schema, toFullJsonSchema);
}

const full = new WeakMap<z.ZodType, JsonSchema>();

export function toFullJsonSchema(schema: z.ZodType): JsonSchema {
  const known = full.get(schema) ?? schemaToJson(schema, "input");
  full.set(schema, known);
  return known;
}

/** Bounds that nobody meets who means well; what exceeds them is refused with a sentence. */
const unmentioned: ReadonlySet<string> = new Set(["maxLength", "maxItems", "maximum"]);
const farOff = 1_000;

/** Without what costs a model tokens and tells it nothing: the dialect, far bounds, and that a text or a list must not be empty. */
function compact(value: unknown, io: "input" | "output"): unknown {
  if (Array.isArray(value)) return value.map((inner) => compact(inner, io));
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(([key, inner]) => {
    if (key === "$schema" || key === "~standard") return false;
    if (key === "additionalProperties" && io === "output") return false;
    if (key === "propertyNames" || ((key === "minLength" || key === "minItems") && inner === 1)) return false;
    return !(unmentioned.has(key) && typeof inner === "number" && inner >= farOff);
  });
  return Object.fromEntries(kept.map(([key, inner]) => [key, compact(inner, io)]));
}
