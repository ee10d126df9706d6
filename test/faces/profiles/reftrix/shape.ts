import { isRecord } from "../../../../src/job/is-record.ts";
import original from "./original.json" with { type: "json" };

type Shape = string | readonly Shape[] | { readonly [key: string]: Shape };

const parts = original.parts as unknown as Readonly<Record<string, Shape>>;
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const words: Readonly<Record<string, (value: unknown) => boolean>> = {
  any: () => true,
  string: (value) => typeof value === "string",
  number: (value) => typeof value === "number",
  boolean: (value) => typeof value === "boolean",
  count: (value) => Number.isInteger(value) && Number(value) >= 0,
  uuid: (value) => typeof value === "string" && uuid.test(value),
  hex: (value) => typeof value === "string" && /^#[0-9A-Fa-f]{6}$/.test(value),
  time: (value) => typeof value === "string" && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value),
  url: (value) => typeof value === "string" && URL.canParse(value),
};

/**
 * Where a value differs from what the original's schema asks for: a field lacks, is unknown, or has another type, range
 * or word. Places of lists and of fields with any name are told as `*`.
 */
export function differencesFrom(shape: Shape, value: unknown, place: string): string[] {
  if (typeof shape === "string") return differsFromWord(shape, value, place);
  if (isList(shape)) {
    if (!Array.isArray(value)) return [`${place} is no list`];
    return [...new Set(value.flatMap((entry) => differencesFrom(shape[0] ?? "any", entry, `${place}.*`)))];
  }
  if (!isRecord(value)) return [`${place} is no object`];
  const fields = fieldsOf(shape);
  const any = fields.get("*");
  if (any !== undefined) {
    return [...new Set(Object.values(value).flatMap((inner) => differencesFrom(any.shape, inner, `${place}.*`)))];
  }
  const unknown = Object.keys(value).filter((key) => !fields.has(key));
  return [
    ...unknown.map((key) => `${place}.${key} is new`),
    ...[...fields].flatMap(([key, { shape: inner, isOptional, mayBeNull }]) => {
      const found = value[key];
      if (found === undefined) return isOptional ? [] : [`${place}.${key} is missing`];
      return found === null && mayBeNull ? [] : differencesFrom(inner, found, `${place}.${key}`);
    }),
  ];
}

interface Field {
  readonly shape: Shape;
  readonly isOptional: boolean;
  readonly mayBeNull: boolean;
}

/** What stands under `+` is part of the same object. */
function fieldsOf(shape: { readonly [key: string]: Shape }): Map<string, Field> {
  const fields = new Map<string, Field>();
  for (const [key, inner] of Object.entries(shape)) {
    if (key === "+") {
      for (const name of inner as readonly string[]) {
        const part = parts[name.slice(1)] as { readonly [key: string]: Shape };
        for (const [field, found] of fieldsOf(part)) fields.set(field, found);
      }
      continue;
    }
    const [, name = key, marks = ""] = /^(.*?)([?!]*)$/.exec(key) ?? [];
    fields.set(name, { shape: inner, isOptional: marks.includes("?"), mayBeNull: marks.includes("!") });
  }
  return fields;
}

function differsFromWord(word: string, value: unknown, place: string): string[] {
  if (word.startsWith("@")) {
    const part = parts[word.slice(1)];
    if (part === undefined) throw new Error(`There is no part ${word}.`);
    return differencesFrom(part, value, place);
  }
  const range = /^(\d+)\.\.(\d+)$/.exec(word);
  const isFine =
    range === null
      ? (words[word]?.(value) ?? word.split("|").includes(String(value)))
      : typeof value === "number" && value >= Number(range[1]) && value <= Number(range[2]);
  return isFine ? [] : [`${place} is not ${word}: ${JSON.stringify(value)?.slice(0, 80)}`];
}

function isList(shape: Shape): shape is readonly Shape[] {
  return Array.isArray(shape);
}
