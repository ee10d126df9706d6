import { z } from "zod";
import { layoutSchema } from "./layout/layout.ts";
import { list } from "./list-schema.ts";
import { motionSchema } from "./motion/motion.ts";
import { performanceSchema } from "./performance/performance.ts";
import { qualitySchema } from "./quality/quality.ts";
import { responsiveSchema } from "./responsive.ts";

export const phaseNames = ["load", "layout", "motion", "quality", "responsive", "performance", "report"] as const;
export type PhaseName = (typeof phaseNames)[number];

const phaseReportSchema = z.object({
  name: z.enum(phaseNames),
  state: z.enum(["done", "failed", "timed_out", "skipped"]),
  ms: z.number(),
  reason: z.string().optional(),
});

const pageSummarySchema = z.object({
  title: z.string(),
  description: z.string(),
  language: z.string(),
  favicon: z.string(),
  ogImage: z.string(),
  width: z.number(),
  height: z.number(),
  elements: z.number(),
  hasWebgl: z.boolean(),
});

/** What an analysis found, as it is stored. A part whose phase failed is absent, and `phases` says why. */
export const analysisSchema = z.object({
  url: z.string(),
  finalUrl: z.string(),
  status: z.number(),
  method: z
    .enum(["browser", "static"])
    .describe("static is read from the HTML and CSS alone: nothing was drawn, run or measured."),
  methodReason: z.string().optional(),
  analyzedAt: z.string(),
  durationMs: z.number(),
  page: pageSummarySchema,
  layout: layoutSchema.optional(),
  motion: motionSchema.optional(),
  quality: qualitySchema.optional(),
  responsive: responsiveSchema.optional(),
  performance: performanceSchema.optional(),
  warnings: list(z.object({ code: z.string(), message: z.string() })),
  phases: list(phaseReportSchema),
  artifacts: list(z.object({ name: z.string(), mediaType: z.string(), bytes: z.number() })),
});

export type PageSummary = z.output<typeof pageSummarySchema>;
export type PhaseReport = z.output<typeof phaseReportSchema>;
