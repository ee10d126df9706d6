import { z } from "zod";

/** Part of an analysis: nobody changes what was found. */
export function list<Item extends z.ZodType>(item: Item): z.ZodReadonly<z.ZodArray<Item>> {
  return z.array(item).readonly();
}
