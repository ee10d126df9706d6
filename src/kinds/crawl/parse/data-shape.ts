import { z } from "zod";
import { defined } from "../../../job/defined.ts";
import { LonghaulError } from "../../../job/error.ts";
import { parseInputIn } from "../../../job/issue.ts";
import type { Json } from "../../../job/json.ts";
import { compileJsonSchema } from "../../../text/json-schema.ts";
import { toJsonSchema, type JsonSchema } from "../../../text/short-schema.ts";

/** What data is wanted, whichever way it was said. */
export type DataShape = {
  /** As a JSON Schema of nothing but words that are checked. */
  readonly schema: JsonSchema;
  readonly validator: () => z.ZodType;
  readonly fits: (value: Json) => boolean;
} & (
  | { readonly kind: "string" | "number" | "boolean" | "any" }
  | { readonly kind: "array"; readonly item: DataShape }
  | { readonly kind: "object"; readonly fields: Readonly<Record<string, DataShape>> }
);

const maxCharacters = 20_000;
const deepest = 10;
const typeName = z.enum(["string", "number", "integer", "boolean", "array", "object", "null"]);
const node = z.custom<JsonSchema>((value) => typeof value === "object" && value !== null, "expected a schema");
const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]);
const count = z.int().min(0).optional();
const bound = z.number().optional();

/** The words of JSON Schema that count here. */
const wordsSchema = z.strictObject({
  type: z.union([typeName, z.array(typeName).min(1)]).optional(),
  description: z.string().optional(),
  properties: z.record(z.string(), node).optional(),
  required: z.array(z.string()).optional(),
  additionalProperties: z.union([z.boolean(), node]).optional(),
  items: node.optional(),
  anyOf: z.array(node).optional(),
  enum: z.array(scalar).min(1).optional(),
  const: scalar.optional(),
  pattern: z.string().max(500).optional(),
  minLength: count,
  maxLength: count,
  minItems: count,
  maxItems: count,
  uniqueItems: z.boolean().optional(),
  minimum: bound,
  maximum: bound,
  exclusiveMinimum: bound,
  exclusiveMaximum: bound,
  multipleOf: z.number().positive().optional(),
});

/** Words that only annotate, and are passed over. Any other is refused: what is asked for must not be left unchecked. */
const annotations = new Set(
  "$schema $id $comment title default examples format deprecated readOnly writeOnly".split(" "),
);

/** Reads a JSON Schema, or the short form of one. */
export function readShape(schema: Json): DataShape {
  if (JSON.stringify(schema).length > maxCharacters) {
    throw new LonghaulError("invalid_input", `schema must have at most ${maxCharacters} characters.`, {
      details: { field: "schema" },
    });
  }
  const shape = toShape(toJsonSchema(schema), "schema", 0);
  shape.validator();
  return shape;
}

function toShape(schema: JsonSchema, path: string, depth: number): DataShape {
  if (depth > deepest) throw new LonghaulError("invalid_input", `${path} must have at most ${deepest} levels.`);
  const told = Object.fromEntries(Object.entries(schema).filter(([word]) => !annotations.has(word)));
  const words = parseInputIn(wordsSchema, told, `The schema at ${path}`);
  const { anyOf, properties, items, additionalProperties: others } = words;
  const inner = (below: JsonSchema, name: string): DataShape => toShape(below, `${path}${name}`, depth + 1);
  if (anyOf !== undefined) return inner(onlyChoice(anyOf, path), "");
  const kind = kindOf(words);
  const fields = Object.fromEntries(
    Object.entries(properties ?? {}).map(([name, below]) => [name, inner(below, `.${name}`)]),
  );
  const item = items && inner(items, "[]");
  const checked = defined({
    ...words,
    type: words.type ?? (kind === "any" ? undefined : kind),
    properties: properties && Object.fromEntries(Object.keys(fields).map((name) => [name, fields[name]?.schema])),
    items: item?.schema,
    additionalProperties: typeof others === "object" ? inner(others, ".*").schema : others,
  }) as JsonSchema;
  const common = { schema: checked, ...createCheck(checked, path) };
  if (kind === "array") return { ...common, kind, item: item ?? inner({}, "[]") };
  if (kind !== "object") return { ...common, kind };
  // Of an object whose fields are not said, whatever is found is taken.
  return properties === undefined ? { ...common, kind: "any" } : { ...common, kind, fields };
}

/** Made when it is first needed: the check of the whole schema contains those of its parts. */
function createCheck(schema: JsonSchema, path: string): Pick<DataShape, "validator" | "fits"> {
  let made: z.ZodType | undefined;
  const validator = (): z.ZodType => (made ??= compileJsonSchema(schema, path));
  return { validator, fits: (value) => validator().safeParse(value).success };
}

/** What is not known is absent and never null, so that a choice between something and null is none. */
function onlyChoice(choices: readonly JsonSchema[], path: string): JsonSchema {
  const [choice, ...others] = choices.filter(({ type }) => type !== "null");
  if (choice !== undefined && others.length === 0) return choice;
  throw new LonghaulError("invalid_input", `${path}.anyOf must have one schema, and may have null.`);
}

function kindOf({ type, properties, items, ...words }: z.output<typeof wordsSchema>): DataShape["kind"] {
  if (type === undefined && properties !== undefined) return "object";
  if (type === undefined && items !== undefined) return "array";
  const values = (words.enum ?? [words.const ?? null]).filter((value) => value !== null);
  const names = type === undefined ? values.map((value) => typeof value) : [type].flat();
  const [name, ...others] = new Set(names.filter((known) => known !== "null"));
  if (name === undefined || others.length > 0) return "any";
  return name === "integer" ? "number" : (name as DataShape["kind"]);
}
