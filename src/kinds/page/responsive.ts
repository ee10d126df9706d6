import { z } from "zod";
import { list } from "./list-schema.ts";

const viewportResultSchema = z.object({
  name: z.string(),
  width: z.number(),
  height: z.number(),
  pageHeight: z.number(),
  navigation: z.string(),
  columns: z.number(),
  overflow: z.object({ by: z.number(), selectors: list(z.string()) }).nullable(),
  smallTargets: z.object({
    count: z.number(),
    of: z.number(),
    examples: list(z.object({ selector: z.string(), width: z.number(), height: z.number(), text: z.string() })),
  }),
  bodySize: z.number(),
  headingSize: z.number(),
  smallestText: z.number(),
  runningText: z
    .object({ characters: z.number(), height: z.number() })
    .optional()
    .describe("Of texts of 40 characters and more: characters in a line, and its height in sizes of its letters."),
  images: z
    .object({ count: z.number(), adaptive: z.number() })
    .optional()
    .describe("Larger than 50 px, and of them those with a srcset or in a picture element."),
  screenshot: z.string().optional(),
});

const differenceSchema = z.object({
  category: z.enum(["visibility", "layout", "navigation", "typography", "order"]),
  element: z.string(),
  description: z.string(),
  from: z.string(),
  to: z.string(),
});

export const responsiveSchema = z.object({
  viewports: list(viewportResultSchema),
  differences: list(differenceSchema),
  breakpoints: list(z.number()),
  problems: list(
    z.object({
      viewport: z.string(),
      code: z.enum(["horizontal_overflow", "small_targets", "small_text"]),
      message: z.string(),
      selectors: list(z.string()),
    }),
  ),
});

export type Responsive = z.output<typeof responsiveSchema>;
export type ViewportResult = z.output<typeof viewportResultSchema>;
export type Difference = z.output<typeof differenceSchema>;
