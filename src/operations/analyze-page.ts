import { z } from "zod";
import { defined } from "../job/defined.ts";
import { LonghaulError } from "../job/error.ts";
import { jobViewSchema, toJobView } from "./job-view.ts";
import { defineOperation } from "./operation.ts";
import { startFields, toStart } from "./run-command.ts";

const feature = z.enum(["layout", "motion", "quality", "responsive"]);
const size = { width: z.int().min(240).max(4_096), height: z.int().min(240).max(16_384) };
const phaseMs = z.int().min(1_000).max(600_000).optional();

const analyzeInput = z.strictObject({
  ...startFields,
  url: z.string().max(8_192).optional().describe("An http or https address."),
  html: z.string().max(2_000_000).optional().describe("HTML to analyse as if it were at that address."),
  features: z.array(feature).min(1).max(4).optional().describe("All four unless given."),
  viewport: z.strictObject(size).optional().describe("1440 × 900 unless given."),
  viewports: z
    .array(z.strictObject({ name: z.string().max(30), ...size }))
    .min(1)
    .max(10)
    .optional()
    .describe("Sizes to compare: desktop, tablet and mobile unless given."),
  wait_until: z.enum(["load", "domcontentloaded", "networkidle"]).optional(),
  timeouts_ms: z
    .strictObject({
      load: phaseMs,
      layout: phaseMs,
      motion: phaseMs,
      quality: phaseMs,
      responsive: phaseMs,
      report: phaseMs,
      total: phaseMs,
    })
    .optional()
    .describe("Most time for each phase, and for all of them."),
  weights: z
    .strictObject({
      originality: z.number().min(0).max(1).optional(),
      craftsmanship: z.number().min(0).max(1).optional(),
      contextuality: z.number().min(0).max(1).optional(),
    })
    .optional(),
  strict: z.boolean().optional().describe("Judge clichés harder."),
  industry: z.string().max(100).optional(),
  audience: z.string().max(100).optional(),
  check_links: z.boolean().optional(),
  include_html: z.boolean().optional(),
  screenshots: z.boolean().optional(),
  frames: z
    .strictObject({
      most: z.int().min(2).max(60).optional().describe("30 unless given."),
      step_px: z.number().min(0.01).max(16_384).optional().describe("Made wider where it takes more frames than that."),
      interval_ms: z.number().min(0).max(10_000).optional(),
      height_px: z.int().min(100).max(100_000).optional(),
      format: z.enum(["jpg", "png"]).optional(),
    })
    .optional()
    .describe("Take pictures while scrolling through the page, and tell how much changed from one to the next."),
  respect_robots: z.boolean().optional().describe("False only with the permission of the site's owner."),
  accept: z
    .enum(["partial", "in_time", "complete"])
    .optional()
    .describe("What is not to fail the job: any failed phase (partial, the default), one that failed in time, none."),
});

export const analyzePage = defineOperation({
  name: "analyze_page",
  scope: "run",
  description:
    "Analyse a web page in a real browser: layout, motion, quality (accessibility, speed, search, broken links) and how it adapts to the window.",
  input: analyzeInput,
  output: jobViewSchema,
  run: async ({ engine, actor }, input) => {
    if (input.url === undefined && input.html === undefined) {
      throw new LonghaulError("invalid_input", "A page is analysed by its url, or from its html: give one of them.");
    }
    const request = {
      kind: "page",
      input: toPageInput(input),
      ...(await toStart(input, { engine, actor })),
    };
    const job = await engine.submit(request, actor);
    return toJobView(job);
  },
});

/** Where HTML without an address is shown: a name that leads nowhere. */
const nowhere = "http://html.invalid/";

/** The kind's own words for what was asked; it refuses what does not fit. */
function toPageInput(input: z.output<typeof analyzeInput>): object {
  const { url = nowhere, features, frames } = input;
  return {
    url,
    ...defined({
      ...Object.fromEntries(sameNames.map((name) => [name, input[name]])),
      features: features && Object.fromEntries(feature.options.map((name) => [name, features.includes(name)])),
      frames:
        frames &&
        defined({
          most: frames.most,
          stepPx: frames.step_px,
          intervalMs: frames.interval_ms,
          heightPx: frames.height_px,
          format: frames.format,
        }),
      waitUntil: input.wait_until,
      timeouts: input.timeouts_ms,
      checkLinks: input.check_links,
      includeHtml: input.include_html,
      respectRobots: input.respect_robots,
    }),
  };
}

/** What the kind calls by the same name. */
const sameNames = [
  ...(["html", "viewport", "viewports", "weights"] as const),
  ...(["strict", "industry", "audience", "screenshots", "accept"] as const),
];
