import { z } from "zod";

interface Schema {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly format?: string;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
}

/** What may be sent at all. */
const maxBytes = 3_900_000;

/** As much as a schema lets through, within what may be sent: every field, each as long as it may be. */
export function largestInput(schema: z.ZodType, letter = "x"): unknown {
  const described = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as Schema;
  return fill(described, { letter, bytes: maxBytes / letter.length });
}

interface Filling {
  readonly letter: string;
  /** What the value may take. */
  readonly bytes: number;
}

function fill(schema: Schema, filling: Filling): unknown {
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum.at(-1);
  const [choice] = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
  if (choice !== undefined) return fill(choice, filling);
  const { type = "any" } = schema;
  switch (type) {
    case "string":
      return fillText(schema, filling);
    case "integer":
    case "number":
      return Math.min(schema.maximum ?? 1_000, 1_000_000);
    case "boolean":
      return true;
    case "array":
      return fillList(schema, filling);
    case "object":
      return fillObject(schema, filling);
    default:
      return { text: fillText({}, filling) };
  }
}

function fillText({ format, maxLength = Infinity }: Schema, { letter, bytes }: Filling): string {
  if (format === "uri") return `https://127.0.0.1:1/${letter.repeat(500)}`;
  if (format === "date-time") return "2026-01-01T00:00:00Z";
  return letter.repeat(Math.max(1, Math.floor(Math.min(maxLength, bytes) / letter.length)));
}

/** As many as may be, or as fit when each is small. */
function fillList({ items = {}, maxItems = 10_000 }: Schema, { letter, bytes }: Filling): unknown[] {
  const least = 50 * countLeaves(items);
  const count = Math.max(1, Math.min(maxItems, 10_000, Math.floor(bytes / least)));
  const item = fill(items, { letter, bytes: Math.floor(bytes / count) - 10 });
  return Array.from({ length: count }, () => item);
}

function fillObject({ properties, additionalProperties }: Schema, { letter, bytes }: Filling): unknown {
  const fields = Object.entries(properties ?? {});
  const share = Math.floor(bytes / Math.max(1, fields.length)) - 20;
  if (fields.length > 0) {
    return Object.fromEntries(fields.map(([name, inner]) => [name, fill(inner, { letter, bytes: share })]));
  }
  const inner = typeof additionalProperties === "object" ? additionalProperties : {};
  const count = Math.max(1, Math.min(1_000, Math.floor(bytes / 50)));
  const value = fill(inner, { letter, bytes: Math.floor(bytes / count) - 20 });
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`NAME_${index}`, value]));
}

function countLeaves({ properties, type }: Schema): number {
  if (type !== "object" || properties === undefined) return 1;
  return Object.values(properties).reduce((sum, inner) => sum + countLeaves(inner), 0);
}
