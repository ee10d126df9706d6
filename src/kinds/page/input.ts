import { z } from "zod";

export const phaseNames = ["load", "layout", "motion", "quality", "responsive", "report"] as const;
export type PhaseName = (typeof phaseNames)[number];

const viewport = { width: z.int().min(240).max(4_096), height: z.int().min(240).max(16_384) };
const phaseMs = z.int().min(1_000).max(600_000);
const weight = z.number().min(0).max(1);

export const pageInputSchema = z.strictObject({
  url: z.url({ protocol: /^https?$/, error: "expected an http or https URL" }).max(8_192),
  /** Shown at that URL instead of what is there; nothing else is fetched from it than what the HTML names. */
  html: z.string().max(2_000_000).optional(),
  features: z
    .strictObject({
      layout: z.boolean().default(true),
      motion: z.boolean().default(true),
      quality: z.boolean().default(true),
      responsive: z.boolean().default(true),
    })
    .prefault({}),
  viewport: z.strictObject({ width: viewport.width.default(1_440), height: viewport.height.default(900) }).prefault({}),
  viewports: z
    .array(
      z.strictObject({
        name: z.string().regex(/^[a-z0-9-]{1,30}$/, "expected lower-case letters, digits and -"),
        ...viewport,
      }),
    )
    .min(1)
    .max(10)
    .refine(
      (list) => new Set(list.map(({ name }) => name)).size === list.length,
      "expected a different name for each viewport",
    )
    .default([
      { name: "desktop", width: 1_440, height: 900 },
      { name: "tablet", width: 768, height: 1_024 },
      { name: "mobile", width: 375, height: 667 },
    ]),
  waitUntil: z.enum(["load", "domcontentloaded", "networkidle"]).default("load"),
  timeouts: z
    .strictObject({
      load: phaseMs.default(30_000),
      layout: phaseMs.default(30_000),
      motion: phaseMs.default(30_000),
      quality: phaseMs.default(60_000),
      responsive: phaseMs.default(60_000),
      report: phaseMs.default(30_000),
      total: phaseMs.default(180_000),
    })
    .prefault({}),
  weights: z
    .strictObject({
      originality: weight.default(0.35),
      craftsmanship: weight.default(0.4),
      contextuality: weight.default(0.25),
    })
    .prefault({}),
  strict: z.boolean().default(false),
  industry: z.string().max(100).optional(),
  audience: z.string().max(100).optional(),
  checkLinks: z.boolean().default(true),
  includeHtml: z.boolean().default(false),
  screenshots: z.boolean().default(true),
  /** Pictures of the window while it is scrolled through the page, and how much changed from one to the next. */
  frames: z
    .strictObject({
      most: z.int().min(2).max(60).default(30),
      stepPx: z.number().min(0.01).max(16_384).default(200),
      intervalMs: z.number().min(0).max(10_000).default(33),
      heightPx: z.int().min(100).max(100_000).optional(),
      format: z.enum(["jpg", "png"]).default("jpg"),
    })
    .optional(),
  respectRobots: z.boolean().default(true),
  /** Which results count: also those with failed phases, none in which a phase took too long, or complete ones alone. */
  accept: z.enum(["partial", "in_time", "complete"]).default("partial"),
});

/** What to analyse, and how long each phase may take. */
export type PageInput = z.output<typeof pageInputSchema>;
