import { z } from "zod";
import { LonghaulError } from "../job/error.ts";
import { messageOf } from "../job/failure.ts";
import { isRecord } from "../job/is-record.ts";
import type { Json } from "../job/json.ts";
import { compilePattern } from "./pattern.ts";
import type { JsonSchema } from "./short-schema.ts";

/** Makes a check of a JSON Schema, or refuses it. It runs no expression of the caller but by RE2: one that backtracks could hang the server. */
export function compileJsonSchema(schema: JsonSchema, name: string): z.ZodType {
  try {
    const check = compilePatterns(schema);
    const plain = z.fromJSONSchema(withoutPatterns(schema) as Parameters<typeof z.fromJSONSchema>[0]);
    return plain.check(({ value, issues }) => void issues.push(...check(value, [])));
  } catch (error) {
    if (error instanceof LonghaulError) throw error;
    const message = `${name} is not a JSON Schema that can be checked: ${messageOf(error)}.`;
    throw new LonghaulError("invalid_input", message, { cause: error });
  }
}

function withoutPatterns(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutPatterns);
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(
    ([key, inner]) => !(key === "pattern" && typeof inner === "string") && key !== "patternProperties",
  );
  return Object.fromEntries(kept.map(([key, inner]) => [key, withoutPatterns(inner)]));
}

type Path = (string | number)[];
type PatternCheck = (value: unknown, path: Path) => { code: "custom"; path: Path; message: string; input: unknown }[];

/** Checks the patterns of a schema, of its fields and of its items. */
function compilePatterns(schema: Json | undefined): PatternCheck {
  if (!isRecord(schema)) return () => [];
  const { pattern, properties, items, additionalProperties } = schema;
  const matches = typeof pattern === "string" ? compilePattern(pattern) : () => true;
  const fields = Object.entries(isRecord(properties) ? properties : {});
  const checks = new Map(fields.map(([name, inner]) => [name, compilePatterns(inner)]));
  const checkItem = compilePatterns(items);
  const checkOther = compilePatterns(additionalProperties);
  return (value, path) => {
    if (typeof value === "string" && !matches(value)) {
      return [{ code: "custom", path, message: `must match ${JSON.stringify(pattern)}`, input: value }];
    }
    if (Array.isArray(value)) return value.flatMap((item, index) => checkItem(item, [...path, index]));
    if (typeof value !== "object" || value === null) return [];
    return Object.entries(value).flatMap(([name, inner]) => (checks.get(name) ?? checkOther)(inner, [...path, name]));
  };
}
