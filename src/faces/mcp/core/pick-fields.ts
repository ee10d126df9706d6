import type { z } from "zod";
import type { Operation } from "../../../operations/operation.ts";

/** The operation's own schema, reduced to the fields that a model needs. */
export function pickFields(operation: Operation, ...fields: readonly string[]): z.ZodObject {
  const schema = operation.input as z.ZodObject<Record<string, z.ZodType>>;
  const mask = Object.fromEntries(fields.map((field) => [field, true]));
  return schema.pick(mask as Parameters<typeof schema.pick>[0]);
}
