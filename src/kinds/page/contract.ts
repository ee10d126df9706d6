import { z } from "zod";
import { defineContract } from "../../job/contract.ts";
import { analysisSchema } from "./analysis.ts";
import { presetNames } from "./performance/performance.ts";

export type { Declarations, KeptPage, SectionSource, SourceElement, SourceNode } from "./sources/section-source.ts";

const featureNames = ["layout", "motion", "quality", "responsive", "performance"] as const;
export type FeatureName = (typeof featureNames)[number];

const viewport = { width: z.int().min(240).max(4_096), height: z.int().min(240).max(16_384) };
const phaseMs = z.int().min(1_000).max(600_000);
const weight = z.number().min(0).max(1);

const pageInputSchema = z
  .strictObject({
    url: z
      .url({ protocol: /^https?$/, error: "expected an http or https URL" })
      .max(8_192)
      .optional()
      .describe("An http or https address."),
    html: z.string().max(2_000_000).optional().describe("HTML to analyse as if it were at that address."),
    features: z
      .array(z.enum(featureNames))
      .min(1)
      .max(featureNames.length)
      .default([...featureNames])
      .describe("All five unless given."),
    preset: z
      .enum(presetNames)
      .default("none")
      .describe(
        "What performance is measured under: none (as fast as it goes, in the one load of all phases), mobile or desktop (a load of its own, as slow as a phone or a laptop).",
      ),
    viewport: z
      .strictObject({ width: viewport.width.default(1_440), height: viewport.height.default(900) })
      .prefault({})
      .describe("1440 × 900 unless given."),
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
        "must have a different name for each viewport",
      )
      .default([
        { name: "desktop", width: 1_440, height: 900 },
        { name: "tablet", width: 768, height: 1_024 },
        { name: "mobile", width: 375, height: 667 },
      ])
      .describe("Sizes to compare: desktop, tablet and mobile unless given."),
    wait_until: z.enum(["load", "domcontentloaded", "networkidle"]).default("load"),
    timeouts_ms: z
      .strictObject({
        load: phaseMs.default(30_000),
        layout: phaseMs.default(30_000),
        motion: phaseMs.default(30_000),
        quality: phaseMs.default(60_000),
        responsive: phaseMs.default(60_000),
        performance: phaseMs.default(60_000),
        report: phaseMs.default(30_000),
        total: phaseMs.default(180_000),
      })
      .prefault({})
      .describe("Most time for each phase, and for all of them."),
    weights: z
      .strictObject({
        craftsmanship: weight.default(0.6),
        contextuality: weight.default(0.4),
      })
      .refine((weights) => weights.craftsmanship + weights.contextuality > 0, "must have one weight above 0")
      .prefault({})
      .describe("How much each axis of quality counts."),
    industry: z.string().max(100).optional(),
    audience: z.string().max(100).optional(),
    check_links: z.boolean().default(true),
    include_html: z.boolean().default(false),
    screenshots: z.boolean().default(true),
    frames: z
      .strictObject({
        max: z.int().min(2).max(60).default(30).describe("30 unless given."),
        step_px: z
          .number()
          .min(0.01)
          .max(16_384)
          .default(200)
          .describe("Made wider where it takes more frames than that."),
        interval_ms: z.number().min(0).max(10_000).default(33),
        height_px: z.int().min(100).max(100_000).optional(),
        format: z.enum(["jpg", "png"]).default("jpg"),
      })
      .optional()
      .describe("Take pictures while scrolling through the page, and tell how much changed from one to the next."),
    respect_robots: z.boolean().default(true).describe("False only with the permission of the site's owner."),
    keep: z
      .boolean()
      .default(true)
      .describe("Keep the analysis and the page's sections in the design library, for longer than the job."),
    accept: z
      .enum(["partial", "in_time", "complete"])
      .default("partial")
      .describe("What is not to fail the job: any failed phase (partial, the default), one that failed in time, none."),
  })
  .refine(({ url, html }) => url !== undefined || html !== undefined, "must have a url or html");

export type PageInput = z.output<typeof pageInputSchema>;
export type PageAnalysis = z.output<typeof analysisSchema>;
/** A page that has an address, if only one that leads nowhere. */
export type PageRequest = PageInput & { readonly url: string };

export const pageContract = defineContract({
  name: "page",
  input: pageInputSchema,
  result: analysisSchema,
  summaryOf: ({ url }) => url,
  verbs: [
    {
      name: "analyze_page",
      description:
        "Analyse a web page in a real browser: layout, motion, quality (accessibility, search, broken links), how it adapts to the window, and how it loads.",
      path: "/v1/pages",
      input: pageInputSchema,
      tool: {
        description:
          "Analyse a web page in a real browser: layout, fonts, colours, motion, accessibility, speed, broken links, phone view. Answers with scores and findings; screenshots and a report stay with the job.",
        fields: ["url", "features", "preset", "respect_robots", "name"],
        required: ["url"],
        isHarmless: true,
      },
    },
  ],
});
