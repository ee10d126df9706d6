type JsonSchema = Readonly<Record<string, unknown>>;

export interface Fitted {
  readonly value: unknown;
  /** Parameters that the schema does not know. */
  readonly unknown: readonly string[];
}

const longestNumber = 30;

/** Turns texts into the numbers and booleans that a schema wants: some clients send everything as text. */
export function fitToSchema(schema: JsonSchema, value: unknown, path = ""): Fitted {
  if (typeof value === "string") return { value: fitText(schema["type"], value), unknown: [] };
  if (Array.isArray(value)) return fitList(asSchema(schema["items"]), value, path);
  const properties = schema["properties"] as Record<string, JsonSchema> | undefined;
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

function fitText(type: unknown, text: string): unknown {
  if (type === "boolean") return text === "true" ? true : text === "false" ? false : text;
  if (type !== "number" && type !== "integer") return text;
  const isNumber = text.length <= longestNumber && /^\s*-?\d+(\.\d+)?\s*$/.test(text);
  return isNumber ? Number(text) : text;
}

function asSchema(value: unknown): JsonSchema {
  return typeof value === "object" && value !== null ? (value as JsonSchema) : {};
}
