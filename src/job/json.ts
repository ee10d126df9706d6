import { z } from "zod";

export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/** Any JSON. Zod's own check of it takes microseconds for each value, and an input may have a million of them. */
export const jsonSchema = z.unknown().refine(isJson, "expected JSON") as z.ZodType<Json, Json>;

/** A field without a value is as good as none: nobody writes it. */
function isJson(value: unknown): value is Json {
  if (value === null || typeof value === "string" || typeof value === "boolean") return true;
  if (typeof value === "number") return Number.isFinite(value);
  if (Array.isArray(value)) return value.every(isJson);
  return (
    typeof value === "object" &&
    isPlainObject(value) &&
    Object.values(value).every((inner) => inner === undefined || isJson(inner))
  );
}

function isPlainObject(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** The same text for the same value, whatever the order of its keys: lets inputs be compared as text. */
export function canonicalJson(value: unknown): string {
  // A replacer would make writing several times slower.
  return JSON.stringify(withKeysInOrder(value));
}

/** The value itself where its keys are in order already, as they are in most. */
function withKeysInOrder(value: unknown): unknown {
  if (typeof value !== "object" || value === null || "toJSON" in value) return value;
  if (Array.isArray(value)) return mapInner(value, withKeysInOrder);
  const inner = mapFields(value, withKeysInOrder);
  return hasKeysInOrder(inner) ? inner : sortKeys(inner);
}

/** The value with every text in it changed; its names stay, unless it is said how they change. */
export function mapTexts<Value extends Json>(value: Value, change: TextChange, changeName?: TextChange): Value;
export function mapTexts(value: unknown, change: TextChange, changeName?: TextChange): unknown {
  if (typeof value === "string") return change(value);
  if (typeof value !== "object" || value === null) return value;
  const changeInner = (inner: unknown): unknown => mapTexts(inner as Json, change, changeName);
  return Array.isArray(value) ? mapInner(value, changeInner) : mapFields(value, changeInner, changeName);
}

type TextChange = (text: string) => string;

/** The same list if nothing in it has changed. */
function mapInner(list: readonly unknown[], change: (inner: unknown) => unknown): readonly unknown[] {
  let changed: unknown[] | undefined;
  for (const [index, inner] of list.entries()) {
    const other = change(inner);
    if (other !== inner) (changed ??= [...list])[index] = other;
  }
  return changed ?? list;
}

/** The same object if nothing in it has changed. */
function mapFields(
  fields: object,
  change: (inner: unknown) => unknown,
  changeName: TextChange = (name) => name,
): object {
  let changed: [string, unknown][] | undefined;
  const entries = Object.entries(fields);
  for (const [index, [name, inner]] of entries.entries()) {
    const other: [string, unknown] = [changeName(name), change(inner)];
    if (other[0] !== name || other[1] !== inner) (changed ??= [...entries])[index] = other;
  }
  return changed === undefined ? fields : Object.fromEntries(changed);
}

function hasKeysInOrder(value: object): boolean {
  let previous = "";
  for (const key of Object.keys(value)) {
    if (key < previous) return false;
    previous = key;
  }
  return true;
}

function sortKeys(value: object): object {
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
