import type { z } from "zod";
import { parseInput } from "../../../job/issue.ts";
import { tryParseJson } from "../../../text/parse-json.ts";
import { toFullJsonSchema } from "./tool-schema.ts";

type JsonSchema = Readonly<Record<string, unknown>>;

export interface Fitted {
  readonly value: unknown;
  /** Parameters that the schema does not know. */
  readonly unknown: readonly string[];
}

/** The arguments of a call as its tool wants them: texts are taken for what they unmistakably stand for, anything else is refused. */
export function parseArguments<Schema extends z.ZodType>(
  { name, input, listedInput = input }: { name: string; input: Schema; listedInput?: z.ZodType },
  args: unknown,
): z.output<Schema> {
  const { value } = fitToSchema(toFullJsonSchema(listedInput), args ?? {});
  return parseInput(input, value, name);
}

/**
 * Turns texts into the booleans, numbers, lists and objects that a schema wants: some clients send everything as text. What is
 * not unmistakable stays a text, for the schema to refuse; where a text is wanted nothing is changed.
 */
export function fitToSchema(schema: JsonSchema, given: unknown, path = ""): Fitted {
  const value = typeof given === "string" ? fitText(branchesOf(schema), given) : given;
  if (Array.isArray(value)) return fitList(asSchema(branchFor(schema, "items")?.["items"]), value, path);
  const properties = branchFor(schema, "properties")?.["properties"] as Record<string, JsonSchema> | undefined;
  if (typeof value !== "object" || value === null || properties === undefined) return { value, unknown: [] };
  const unknown: string[] = [];
  const fitted = Object.entries(value).map(([key, inner]): [string, unknown] => {
    const at = path === "" ? key : `${path}.${key}`;
    const wanted = Object.hasOwn(properties, key) ? properties[key] : undefined;
    if (wanted === undefined) unknown.push(at.slice(0, 100));
    const result = fitToSchema(wanted ?? {}, inner, at);
    unknown.push(...result.unknown);
    return [key, result.value];
  });
  return { value: Object.fromEntries(fitted), unknown: unknown.slice(0, 20) };
}

function fitList(items: JsonSchema, values: readonly unknown[], path: string): Fitted {
  const fitted = values.map((value, index) => fitToSchema(items, value, `${path}.${index}`));
  return { value: fitted.map(({ value }) => value), unknown: fitted.flatMap(({ unknown }) => unknown) };
}

function fitText(branches: readonly JsonSchema[], text: string): unknown {
  if (branches.some((branch) => takesText(branch, text))) return text;
  for (const { type } of branches) {
    const value = readText(type, text);
    if (value !== undefined) return value;
  }
  return text;
}

function takesText({ type, enum: listed }: JsonSchema, text: string): boolean {
  if (type === undefined) return true;
  return type === "string" && (!Array.isArray(listed) || listed.includes(text));
}

/** No number of use is longer. */
const longestNumber = 30;

function readText(type: unknown, text: string): unknown {
  if (type === "boolean") return text === "true" ? true : text === "false" ? false : undefined;
  if (type === "number" || type === "integer") {
    const isNumber = text.length <= longestNumber && /^-?(0|[1-9]\d*)(\.\d+)?$/.test(text);
    return isNumber ? Number(text) : undefined;
  }
  if (type === "array") return text.trimStart().startsWith("[") ? tryParseJson(text) : undefined;
  return type === "object" && text.trimStart().startsWith("{") ? tryParseJson(text) : undefined;
}

/** The alternatives of a union, or the schema itself. */
function branchesOf(schema: JsonSchema): readonly JsonSchema[] {
  const choices = schema["anyOf"] ?? schema["oneOf"];
  return Array.isArray(choices) ? choices.flatMap((choice) => branchesOf(asSchema(choice))) : [schema];
}

/** The alternative that says what is inside of a list or an object; undefined if several do. */
function branchFor(schema: JsonSchema, keyword: "items" | "properties"): JsonSchema | undefined {
  const [only, ...others] = branchesOf(schema).filter((branch) => keyword in branch);
  return others.length === 0 ? only : undefined;
}

function asSchema(value: unknown): JsonSchema {
  return typeof value === "object" && value !== null ? (value as JsonSchema) : {};
}
