import { z } from "zod";
import { list } from "../list-schema.ts";
import { placeSchema } from "../places.ts";

export const axisNames = ["craftsmanship", "contextuality"] as const;

const gradeSchema = z.enum(["A", "B", "C", "D", "F"]);
const rankSchema = z.enum(["high", "medium", "low"]);

const axisSchema = z.object({
  score: z.number(),
  grade: gradeSchema,
  details: list(z.object({ points: z.number(), text: z.string() })).describe(
    "What the score gained and lost, and for what.",
  ),
});

const clicheSchema = z.object({ type: z.string(), description: z.string(), severity: rankSchema });

const boxSchema = z.object({ x: z.number(), y: z.number(), width: z.number(), height: z.number() });

/** Something that is wrong with the page, with what shows it. */
const findingSchema = z.object({
  id: z.string().describe("Stays the same from one analysis to the next, so that two can be compared."),
  topic: z.enum(["accessibility", "performance", "seo", "practice", "links", "errors"]),
  severity: z.enum(["critical", "serious", "moderate", "minor"]),
  title: z.string(),
  evidence: z.string(),
  advice: z.string(),
  count: z.number().describe("How many places have it."),
  selectors: list(z.string()).describe("At most ten of them."),
  boxes: list(boxSchema.nullable()).describe(
    "Where each of the selectors is drawn, in pixels of the page; null where it is not, or is not known.",
  ),
  places: list(placeSchema).optional().describe("Those of its elements that are there, as the browser shows them."),
  help: z.string().optional(),
});

const recommendationSchema = z.object({
  id: z.string(),
  category: z.enum(axisNames),
  priority: rankSchema,
  title: z.string(),
  description: z.string(),
  evidence: z.string(),
  gain: z.number().describe("What the overall score is expected to gain, in points."),
  selectors: list(z.string()),
});

export const qualitySchema = z.object({
  score: z.number(),
  grade: gradeSchema,
  axes: z.record(z.enum(axisNames), axisSchema),
  cliches: list(clicheSchema),
  findings: list(findingSchema),
  recommendations: list(recommendationSchema),
  accessibility: z
    .object({ violations: z.number(), elements: z.number(), passes: z.number(), incomplete: z.number() })
    .nullable()
    .describe("Rules of axe-core as it counts them, and the elements that violate one."),
  vitals: z
    .object({
      largestPaintMs: z.number(),
      largestPaintElement: z.string(),
      firstPaintMs: z.number(),
      layoutShift: z.number(),
      longTasks: z.number(),
      blockingMs: z.number(),
      responseMs: z.number(),
      interactiveMs: z.number(),
      loadedMs: z.number(),
    })
    .nullable(),
  weight: z
    .object({
      bytes: z.number(),
      requests: z.number(),
      byType: z.record(z.string(), z.object({ bytes: z.number(), requests: z.number() })),
    })
    .nullable(),
  links: z
    .object({
      checked: z.number(),
      total: z.number(),
      broken: list(z.object({ url: z.string(), selector: z.string(), reason: z.string() })),
    })
    .nullable(),
});

export type Quality = z.output<typeof qualitySchema>;
export type AxisName = (typeof axisNames)[number];
export type Axis = z.output<typeof axisSchema>;
export type Cliche = z.output<typeof clicheSchema>;
export type Finding = z.output<typeof findingSchema>;
export type Severity = Finding["severity"];
export type Recommendation = z.output<typeof recommendationSchema>;
export type LinkCheck = NonNullable<Quality["links"]>;
