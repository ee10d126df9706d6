import { z } from "zod";
import { frameAnalysis, frameCapture, limitInput, pageUrl } from "./analyze-input.ts";

const flag = z.boolean().optional();
const on = z.boolean().default(true);
const off = z.boolean().default(false);
const unheeded = z.looseObject({}).optional();

export const severities = ["info", "warning", "error"] as const;

/** All parameters of `motion_detect`. */
export const detectInput = z.looseObject({
  pageId: z.uuid().optional().describe("The id of an analysed page."),
  html: z.string().min(1).max(2_000_000).optional(),
  url: pageUrl.optional(),
  css: z.string().max(500_000).optional().describe("More CSS for the HTML."),
  baseUrl: pageUrl.optional().describe("Where relative addresses in the HTML lead."),
  includeInlineStyles: flag,
  includeStyleSheets: flag,
  minDuration: z.number().min(0).max(60_000).default(0).describe("Milliseconds; shorter movements are left out."),
  maxPatterns: z.int().min(1).max(4_000).default(100),
  includeWarnings: on,
  min_severity: z.enum(severities).default("info").describe("Leaves out lesser warnings."),
  includeSummary: on,
  verbose: off,
  detection_mode: z
    .enum(["css", "runtime", "hybrid", "video", "library_only"])
    .optional()
    .describe("video for a url unless given, else css; video also compares frames while the page is scrolled."),
  include_perspective: flag,
  runtime_options: unheeded,
  fetchExternalCss: flag,
  externalCssOptions: unheeded,
  save_to_db: flag,
  video_options: unheeded,
  enable_frame_capture: flag.describe("Pictures while the page is scrolled; on in mode video."),
  frame_capture_options: frameCapture.optional(),
  lighthouse_options: unheeded,
  analyze_metrics: flag,
  analyze_metrics_options: unheeded,
  analyze_frames: flag.describe("Compares these pictures; on in mode video."),
  frame_analysis_options: frameAnalysis.optional(),
  detect_js_animations: off.describe("Also list what scripts animate."),
  js_animation_options: unheeded,
  summary: flag.describe("True for id, name, category, trigger and type alone; false for all patterns."),
  limit: limitInput,
  truncate_max_chars: z.int().min(100).max(10_000_000).optional().describe("Leaves out patterns until the rest fits."),
  auto_optimize: off.describe("Shortens patterns above 100 KB, and leaves some out above 500 KB."),
  timeout: z.int().min(30_000).max(600_000).default(180_000).describe("What is not found by then is left out."),
});

export type DetectInput = z.output<typeof detectInput>;

/** What a call asks for, decided. */
export interface Detection extends DetectInput {
  readonly mode: NonNullable<DetectInput["detection_mode"]>;
  readonly captures: boolean;
  readonly compares: boolean;
}
