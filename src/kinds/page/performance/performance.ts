import { z } from "zod";
import { list } from "../list-schema.ts";
import { placeSchema } from "../places.ts";

export const presetNames = ["none", "mobile", "desktop"] as const;

const ratingSchema = z
  .enum(["good", "needs_improvement", "poor"])
  .nullable()
  .describe("By the public thresholds; null where nothing was measured.");
const timeSchema = z.object({ ms: z.number(), rating: ratingSchema });
const sizeSchema = z.object({ width: z.number(), height: z.number() });

export const conditionsSchema = z.object({
  preset: z.enum(presetNames),
  viewport: sizeSchema,
  scale: z.number().describe("Pixels of the screen for each pixel of the page."),
  latencyMs: z.number().describe("By which every request was delayed; 0 if not at all."),
  downloadKbps: z.number().nullable().describe("null: as fast as it went."),
  uploadKbps: z.number().nullable(),
  cpuSlowdown: z.number().describe("1: as fast as this machine."),
  isOwnLoad: z.boolean().describe("The page was loaded for this alone, without anything kept from before."),
});

const vitalsSchema = z.object({
  firstByte: timeSchema,
  firstPaint: timeSchema,
  largestPaint: timeSchema.extend({ element: placeSchema.nullable() }),
  layoutShift: z.object({
    score: z.number(),
    rating: ratingSchema,
    shifts: list(z.object({ value: z.number(), atMs: z.number(), element: placeSchema.nullable() })),
  }),
  blocking: timeSchema.extend({
    longTasks: z.number(),
    longest: list(z.object({ startMs: z.number(), durationMs: z.number() })),
  }),
  loadedMs: z.number(),
});

const unusedSchema = z
  .object({
    bytes: z.number(),
    unusedBytes: z.number(),
    files: list(
      z.object({ url: z.string(), isInline: z.boolean(), bytes: z.number(), unusedBytes: z.number() }),
    ).describe("Those with most of it first."),
  })
  .nullable()
  .describe("null where it could not be measured; `notes` says why.");

const imageSchema = z.object({
  url: z.string(),
  format: z.string(),
  bytes: z.number(),
  natural: sizeSchema,
  shown: sizeSchema,
  oversizeBytes: z.number().describe("Estimate: what a picture in the size in which it is shown would save."),
  formatBytes: z.number().describe("Estimate: what a newer format would save."),
  isSized: z.boolean(),
  isLazy: z.boolean(),
  isBelowWindow: z.boolean(),
  selector: z.string(),
});

const findingSchema = z.object({
  id: z.string().describe("Stays the same from one analysis to the next."),
  severity: z.enum(["serious", "moderate", "minor"]),
  title: z.string(),
  evidence: z.string(),
  advice: z.string(),
  count: z.number().describe("How many places have it."),
  savedBytes: z.number().describe("What mending it would save; 0 where it saves something else than bytes."),
  isEstimate: z.boolean().describe("The saving was estimated, and not measured."),
  urls: list(z.string()),
  places: list(placeSchema),
});

export const performanceSchema = z.object({
  conditions: conditionsSchema,
  vitals: vitalsSchema,
  transfer: z.object({
    bytes: z.number(),
    bodyBytes: z.number().describe("Unpacked."),
    requests: z.number(),
    byType: z.record(z.string(), z.object({ bytes: z.number(), requests: z.number() })),
    byProtocol: z.record(z.string(), z.number()).describe("How many requests used which version of HTTP."),
  }),
  unusedCss: unusedSchema,
  unusedScript: unusedSchema,
  uncompressed: list(z.object({ url: z.string(), bytes: z.number(), compressedBytes: z.number() })).describe(
    "Text that was sent as it is, and its size as gzip really packs it.",
  ),
  shortCached: list(
    z.object({
      url: z.string(),
      bytes: z.number(),
      seconds: z.number().nullable().describe("null: nothing is said."),
    }),
  ),
  images: list(imageSchema),
  blocking: list(z.object({ url: z.string(), type: z.string(), bytes: z.number(), ms: z.number() })).describe(
    "What the first paint waited for.",
  ),
  tree: z.object({
    elements: z.number(),
    depth: z.number(),
    deepest: z.string(),
    children: z.number().describe("Of the element that has most."),
    widest: z.string(),
  }),
  thirdParties: list(z.object({ domain: z.string(), bytes: z.number(), requests: z.number() })),
  duplicates: list(z.object({ url: z.string(), times: z.number(), bytes: z.number() })),
  large: list(z.object({ url: z.string(), type: z.string(), bytes: z.number() })),
  redirects: list(z.object({ url: z.string(), from: list(z.string()), isMain: z.boolean() })),
  findings: list(findingSchema),
  notes: list(z.string()).describe("What was not measured, and why."),
});

export type Performance = z.output<typeof performanceSchema>;
export type Conditions = z.output<typeof conditionsSchema>;
export type PresetName = (typeof presetNames)[number];
export type PerformanceFinding = z.output<typeof findingSchema>;
export type Unused = Performance["unusedCss"];
export type Rating = z.output<typeof ratingSchema>;
export type ImageCost = z.output<typeof imageSchema>;
