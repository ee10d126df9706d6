import { assertNever } from "../../../job/error.ts";
import type { Json } from "../../../job/json.ts";
import type { DataShape } from "./data-shape.ts";

export interface ExtractedData {
  readonly data?: Json;
  /** Fields that nobody knows. */
  readonly missing?: readonly string[];
  /** A field that is required is among them, or too little was found in all. */
  readonly is_valid?: false;
}

/** Finds values for a shape: the first source that knows a field, and fits, wins. Fields that nobody knows stay away. */
export function fillShape(shape: DataShape, sources: readonly Json[]): Json | undefined {
  if (shape.kind === "object") return fillFields(shape.fields, sources);
  const [first] = sources;
  return first === undefined ? undefined : coerce(first, shape);
}

/** Says of data what it lacks. */
export function judgeData(data: Json, shape: DataShape): ExtractedData {
  const names = shape.kind === "object" ? Object.keys(shape.fields) : [];
  const missing = names.filter((name) => !Object.hasOwn(Object(data), name));
  return { data, ...(missing.length > 0 ? { missing } : {}), ...(shape.fits(data) ? {} : { is_valid: false }) };
}

function fillFields(fields: Readonly<Record<string, DataShape>>, sources: readonly Json[]): { [name: string]: Json } {
  const filled: { [name: string]: Json } = {};
  for (const [name, shape] of Object.entries(fields)) {
    for (const source of sources) {
      const found = lookUp(source, plain(name));
      const value = found === undefined ? undefined : coerce(found, shape);
      if (value === undefined || value === "") continue;
      filled[name] = value;
      break;
    }
  }
  return filled;
}

const deepestLook = 3;

/** By name, without regard to case and signs; what lies nearer to the top comes first (a price may lie in an offer). */
function lookUp(source: Json, wanted: string): Json | undefined {
  let level: Json[] = [source];
  for (let depth = 0; depth < deepestLook && level.length > 0; depth++) {
    const below: Json[] = [];
    for (const item of level) {
      if (typeof item !== "object" || item === null) continue;
      if (Array.isArray(item)) below.push(...item.slice(0, 20));
      else {
        for (const [key, value] of Object.entries(item)) {
          if (plain(key) === wanted) return value;
          if (typeof value === "object") below.push(value);
        }
      }
    }
    level = below;
  }
  return undefined;
}

function plain(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
}

/** What a page says, in the form that is wanted; undefined if that cannot be, or does not fit the schema. */
function coerce(value: Json, shape: DataShape): Json | undefined {
  const converted = convert(value, shape);
  return converted !== undefined && shape.fits(converted) ? converted : undefined;
}

function convert(value: Json, shape: DataShape): Json | undefined {
  switch (shape.kind) {
    case "any":
      return value ?? undefined;
    case "array":
      return unlessEmpty((Array.isArray(value) ? value : [value]).flatMap((item) => coerce(item, shape.item) ?? []));
    case "object":
      return unlessEmpty(fillFields(shape.fields, [value]));
    case "string":
      return toText(value);
    case "number":
      return toNumber(value);
    case "boolean":
      return toBoolean(value);
    default:
      return assertNever(shape);
  }
}

function unlessEmpty<Found extends object>(found: Found): Found | undefined {
  return Object.keys(found).length === 0 ? undefined : found;
}

/** Of a thing, its name: a brand in JSON-LD is an object where a text is wanted. */
function toText(value: Json): string | undefined {
  if (typeof value === "string") return value.trim();
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (value === null) return undefined;
  if (Array.isArray(value)) return value.flatMap((item) => toText(item) ?? []).join(", ") || undefined;
  const inner = value["@value"] ?? value["name"] ?? value["url"] ?? value["@id"];
  return inner === undefined ? undefined : toText(inner);
}

/** Takes "1,299.00 €" and "1.299,00" alike: of two signs the last one is the decimal sign. */
function toNumber(value: Json): number | undefined {
  if (typeof value === "number") return value;
  const text = /-?\d[\d.,\s]*/.exec(toText(value) ?? "")?.[0].replace(/\s/g, "");
  if (text === undefined) return undefined;
  const isGerman = /,\d{1,2}$/.test(text) || (text.includes(".") && text.lastIndexOf(",") > text.lastIndexOf("."));
  const number = Number(
    (isGerman ? text.replaceAll(".", "").replace(",", ".") : text.replaceAll(",", "")).replace(/\.$/, ""),
  );
  return Number.isFinite(number) ? number : undefined;
}

function toBoolean(value: Json): boolean | undefined {
  if (typeof value === "boolean") return value;
  const text = (toText(value) ?? "").toLowerCase();
  if (/^(true|yes|1|on)$|instock|in stock|available$/.test(text) && !text.includes("unavailable")) return true;
  return /^(false|no|0|off)$|outofstock|out of stock|soldout|sold out|unavailable/.test(text) ? false : undefined;
}
