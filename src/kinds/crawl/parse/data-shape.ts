import { LonghaulError } from "../../../job/error.ts";
import type { Json } from "../../../job/json.ts";

/** What data is wanted, whichever way it was said. */
export type DataShape =
  | { readonly kind: "string" | "number" | "integer" | "boolean" | "any" }
  | { readonly kind: "array"; readonly item: DataShape }
  | {
      readonly kind: "object";
      readonly fields: Readonly<Record<string, DataShape>>;
      readonly required: readonly string[];
    };

const scalars = ["string", "number", "integer", "boolean", "any"] as const;
const deepest = 8;

/**
 * Reads a JSON Schema (objects, arrays, plain types) or the short form `{ field: "string" | ["number"] | { … } }`, in which
 * "array" and "object" mean any.
 */
export function readShape(schema: Json, path = "schema", depth = 0): DataShape {
  if (depth > deepest) throw bad(path, `at most ${deepest} levels`);
  if (typeof schema === "string") return readName(schema, path);
  if (Array.isArray(schema)) return { kind: "array", item: readShape(schema[0] ?? "any", `${path}[]`, depth + 1) };
  if (typeof schema !== "object" || schema === null) throw bad(path, "an object, a type or a list of one type");
  return isJsonSchema(schema) ? readJsonSchema(schema, path, depth) : readFields(schema, [], path, depth);
}

function isJsonSchema(schema: { [key: string]: Json }): boolean {
  const { type, properties, items } = schema;
  const isObject = typeof properties === "object" && properties !== null && (type === undefined || type === "object");
  const isArray = type === "array" && typeof items === "object";
  const isScalar = typeof type === "string" && Object.keys(schema).every((key) => schemaWords.has(key));
  return isObject || isArray || isScalar || schema["$schema"] !== undefined;
}

const schemaWords = new Set(
  "type description title format enum default examples minimum maximum minLength maxLength pattern items properties required additionalProperties $schema".split(
    " ",
  ),
);

function readJsonSchema(schema: { [key: string]: Json }, path: string, depth: number): DataShape {
  const { type, properties, items, required } = schema;
  if (type === "array") return { kind: "array", item: readShape(items ?? "any", `${path}[]`, depth + 1) };
  if (type === "object" || (type === undefined && properties !== undefined)) {
    const names = Array.isArray(required) ? required.filter((name) => typeof name === "string") : [];
    return readFields((properties ?? {}) as { [key: string]: Json }, names, path, depth);
  }
  const names = Array.isArray(type) ? type.filter((name) => name !== "null") : [type];
  return names.length === 1 && typeof names[0] === "string" ? readName(names[0], path) : { kind: "any" };
}

function readFields(
  fields: { [key: string]: Json },
  required: readonly string[],
  path: string,
  depth: number,
): DataShape {
  const entries = Object.entries(fields);
  if (entries.length > 100) throw bad(path, "at most 100 fields");
  const shapes = entries.map(([name, inner]) => [name, readShape(inner, `${path}.${name}`, depth + 1)] as const);
  return { kind: "object", fields: Object.fromEntries(shapes), required };
}

function readName(name: string, path: string): DataShape {
  const kind = scalars.find((known) => known === name);
  if (kind !== undefined) return { kind };
  if (name === "array") return { kind: "array", item: { kind: "any" } };
  if (name === "object" || name === "null") return { kind: "any" };
  throw bad(path, `one of ${scalars.join(", ")}, array or object, got "${name}"`);
}

function bad(path: string, expected: string): LonghaulError {
  return new LonghaulError("invalid_input", `${path}: expected ${expected}.`, { details: { field: path } });
}
