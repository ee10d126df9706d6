import { z } from "zod";

/** An element that something was found out about. */
export const placeSchema = z.object({
  selector: z.string(),
  snippet: z.string().describe("Its tag, and the beginning of its text."),
  box: z
    .object({ x: z.number(), y: z.number(), width: z.number(), height: z.number() })
    .nullable()
    .describe("In pixels of the page; null where it is not shown."),
  crop: z.string().optional().describe("The artifact with its picture."),
});

export type Place = z.output<typeof placeSchema>;
