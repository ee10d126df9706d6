import { LonghaulError } from "../job/error.ts";
import { isRecord } from "../job/is-record.ts";
import type { Json } from "../job/json.ts";

export type JsonSchema = { [word: string]: Json };

const scalars: readonly string[] = ["string", "number", "integer", "boolean"];
const deepest = 8;
/** Standing beside a `type`, these make a JSON Schema of what would be a field named "type" otherwise. */
const schemaWords = new Set(
  `$schema $id $ref $defs $comment type title description default examples format deprecated readOnly writeOnly enum const
  pattern minLength maxLength minimum maximum exclusiveMinimum exclusiveMaximum multipleOf items prefixItems contains minItems
  maxItems uniqueItems properties required additionalProperties patternProperties propertyNames minProperties maxProperties
  anyOf allOf oneOf not if then else nullable`.split(/\s+/),
);

interface Place {
  readonly path: string;
  readonly depth: number;
  /** Within a JSON Schema, where every object is one. */
  readonly isInSchema: boolean;
  /** Whether what names no type is taken for a description of the value that is wanted. */
  readonly takesHints?: boolean;
}

/** As `toJsonSchema`, for callers who may describe a value in words instead: `{ price: "price in EUR" }`. */
export function toHintedSchema(schema: Json): JsonSchema {
  return toJsonSchema(schema, { path: "schema", depth: 0, isInSchema: false, takesHints: true });
}

/**
 * Turns the short form `{ field: "string" | ["number"] | { … } }`, in which "any" is anything and "array" and "object" are any such, into
 * a JSON Schema. A JSON Schema stays one; within it a type may still be written as its name alone.
 */
export function toJsonSchema(
  schema: Json,
  { path, depth, isInSchema, takesHints = false }: Place = { path: "schema", depth: 0, isInSchema: false },
): JsonSchema {
  if (depth > deepest) throw bad(path, `must have at most ${deepest} levels`);
  if (typeof schema === "string") return readName(schema, path, takesHints);
  const isLong = isInSchema || isJsonSchema(schema);
  const inner = (node: Json, name: string): JsonSchema =>
    toJsonSchema(node, { path: `${path}${name}`, depth: depth + 1, isInSchema: isLong, takesHints });
  const readFields = (fields: JsonSchema): JsonSchema =>
    Object.fromEntries(Object.entries(fields).map(([name, node]) => [name, inner(node, `.${name}`)]));
  if (Array.isArray(schema) && !isInSchema) return { type: "array", items: inner(schema[0] ?? "any", "[]") };
  if (!isRecord(schema))
    throw bad(path, `must be ${isInSchema ? "a schema or a type" : "an object, a type or a list of one type"}`);
  if (!isLong) return { type: "object", properties: readFields(schema) };
  const { properties, items } = schema;
  return {
    ...schema,
    ...(isRecord(properties) ? { properties: readFields(properties) } : {}),
    ...(items === undefined ? {} : { items: inner(items, "[]") }),
  };
}

function isJsonSchema(schema: Json): boolean {
  if (!isRecord(schema)) return false;
  const { type, properties, enum: values } = schema;
  if (typeof schema["$schema"] === "string" || (isRecord(properties) && (type === undefined || type === "object"))) {
    return true;
  }
  const isTyped = typeof type === "string" || Array.isArray(type) || (Array.isArray(values) && values.length > 1);
  return isTyped && Object.keys(schema).every((word) => schemaWords.has(word));
}

function readName(name: string, path: string, takesHints: boolean): JsonSchema {
  if (name === "any" || name === "null") return {};
  if (name === "array" || name === "object" || scalars.includes(name)) return { type: name };
  if (takesHints) return { description: name };
  throw bad(path, `must be one of ${scalars.join(", ")}, any, array or object, got "${name}"`);
}

function bad(path: string, problem: string): LonghaulError {
  return new LonghaulError("invalid_input", `${path} ${problem}.`, { details: { field: path } });
}
