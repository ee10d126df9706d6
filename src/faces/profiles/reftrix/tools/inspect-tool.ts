import { z } from "zod";
import { LonghaulError } from "../../../../job/error.ts";
import { ReftrixError } from "../error-codes.ts";
import { ignoredByInspect } from "../ignored-parameters.ts";
import { pageWith } from "../page-jobs.ts";
import { defineReftrixTool, looksUp } from "../reftrix-tool.ts";
import { toExtent } from "../views/extent.ts";
import { inspectLayout } from "../views/inspect-view.ts";
import { limitInput, summaryInput } from "./analyze-input.ts";

const flag = z.boolean().optional();
const on = z.boolean().default(true);

const inspectInput = z.looseObject({
  id: z.uuid().optional().describe("The id of an analysed page."),
  html: z.string().min(1).max(2_000_000).optional().describe("Goes before the id."),
  screenshot: z
    .looseObject({
      base64: z.string().min(100).max(20_000_000),
      mimeType: z.enum(["image/png", "image/jpeg", "image/webp"]).default("image/png"),
      width: z.int().min(1).optional(),
      height: z.int().min(1).optional(),
    })
    .optional()
    .describe("Refused: no vision model looks at pictures."),
  options: z
    .looseObject({
      detectSections: on,
      extractColors: on,
      analyzeTypography: on,
      detectGrid: on,
      useVision: flag,
      visionOptions: z.looseObject({}).optional(),
    })
    .prefault({}),
  summary: summaryInput,
  limit: limitInput,
});

export const inspectTool = defineReftrixTool({
  name: "layout_inspect",
  title: "Layout Inspect",
  description: "What the layout of an analysed page, or of HTML, consists of: sections, colours, typography, grid.",
  input: inspectInput,
  annotations: looksUp,
  ignored: ignoredByInspect,
  codes: {
    JOB_NOT_FOUND: "NOT_FOUND",
    LAYOUT_ANALYSIS_FAILED: "INSPECT_FAILED",
    BROWSER_UNAVAILABLE: "SERVICE_UNAVAILABLE",
  },
  run: async (context, { options, id, html, screenshot, ...told }) => {
    if (screenshot !== undefined) {
      throw new ReftrixError("SERVICE_UNAVAILABLE", "No vision model looks at pictures here: give id or html instead.");
    }
    if (html === undefined && id === undefined) {
      throw new LonghaulError("invalid_input", "id or html is needed: the id of an analysed page, or HTML.");
    }
    const page = await pageWith("layout", context, html === undefined ? { id: id ?? "" } : { html });
    const { layout } = page.analysis;
    if (layout === undefined) {
      throw new ReftrixError("INSPECT_FAILED", "The layout of the page could not be read; page_analyze says why.");
    }
    return { links: page.links, data: { id: page.id, ...inspectLayout(layout, options, toExtent(told)) } };
  },
});
