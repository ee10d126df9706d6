import { z } from "zod";

const flag = z.boolean().optional();
const on = z.boolean().default(true);
const off = z.boolean().default(false);
const between = (least: number, max: number): z.ZodInt => z.int().min(least).max(max);
const ratio = z.number().min(0).max(1);
const options = <Shape extends z.ZodRawShape>(shape: Shape): z.ZodObject<Shape, z.core.$loose> => z.looseObject(shape);
const fileName = z
  .string()
  .max(200)
  .refine((name) => !/[/\\]|\.\./.test(name), "expected a name without / and ..");

export const pageUrl = z
  .url({ protocol: /^https?$/, error: "expected an http or https URL" })
  .max(8_192)
  .describe("An http or https address.");
export const summaryInput = flag.describe(
  "True for figures without their lists, false for all that was found; without it lists are cut.",
);
export const limitInput = z
  .number()
  .min(1)
  .transform((limit) => Math.min(1_000, Math.floor(limit)))
  .optional()
  .describe("Maximum entries in each list that is cut; above 1000 it is 1000.");
export const viewport = options({
  name: z.string().min(1).max(50),
  width: between(320, 4_096),
  height: between(240, 16_384),
});
export const usualViewports = [
  { name: "desktop", width: 1_920, height: 1_080 },
  { name: "tablet", width: 768, height: 1_024 },
  { name: "mobile", width: 375, height: 667 },
];
export const sourceType = z.enum(["award_gallery", "user_provided"]).default("user_provided");
export const usageScope = z.enum(["inspiration_only", "owned_asset"]).default("inspiration_only");
export const respectRobots = on.describe("False only with the permission of the site's owner.");
export const weights = options({
  originality: ratio.optional(),
  craftsmanship: ratio.optional(),
  contextuality: ratio.optional(),
});
/** Weights of a single judgement make one together; those of page.analyze may be any. */
export const weightsOfOne = options({
  originality: ratio.default(0.35),
  craftsmanship: ratio.default(0.4),
  contextuality: ratio.default(0.25),
}).refine(
  ({ originality, craftsmanship, contextuality }) =>
    Math.abs(originality + craftsmanship + contextuality - 1) <= 0.01 + Number.EPSILON,
  "must add up to 1",
);
export const purpose = {
  targetIndustry: z.string().max(100).optional(),
  targetAudience: z.string().max(100).optional(),
};

const layoutOptions = options({
  fullPage: flag,
  viewport: options({
    width: between(320, 4_096).default(1_440),
    height: between(240, 16_384).default(900),
  }).optional(),
  include_html: flag,
  includeHtml: flag.describe("The same as include_html."),
  include_screenshot: flag,
  includeScreenshot: flag.describe("The same as include_screenshot."),
  saveToDb: flag,
  autoAnalyze: flag,
  fetchExternalCss: flag,
  useVision: flag.describe("False also turns off that a call without `async` becomes a job."),
  perSectionVision: flag,
  visionBatchSize: between(1, 10).optional(),
  scrollVision: flag,
  scrollVisionMaxCaptures: between(2, 20).optional(),
});

export const frameCapture = options({
  frame_rate: between(1, 120).optional(),
  frame_interval_ms: z.number().min(1).optional(),
  scroll_speed_px_per_sec: z.number().optional(),
  scroll_px_per_frame: z.number().min(0.01).optional(),
  output_format: z.enum(["png", "jpeg"]).optional(),
  output_dir: z
    .string()
    .max(1_000)
    .refine((path) => !path.includes(".."), "expected a path without ..")
    .optional(),
  filename_pattern: fileName.optional(),
  page_height_px: between(100, 100_000).optional(),
  scroll_duration_sec: z.number().min(0.1).max(300).optional(),
}).refine(
  ({ frame_rate: rate = 30, scroll_duration_sec: seconds = 0 }) => rate * seconds <= 3_600,
  "must have at most 3600 frames (frame_rate × scroll_duration_sec)",
);

export const frameAnalysis = options({
  frame_dir: z.string().max(1_000).optional(),
  sample_interval: between(1, 100).optional(),
  diff_threshold: ratio.optional(),
  cls_threshold: z.number().optional(),
  motion_threshold: between(1, 500).optional(),
  output_diff_images: flag,
  parallel: flag,
});

const videoOptions = options({
  timeout: between(1_000, 120_000).optional(),
  record_duration: between(1_000, 60_000).optional(),
  viewport: options({ width: z.int().optional(), height: z.int().optional() }).optional(),
  scroll_page: flag,
  move_mouse: flag,
  wait_until: z.enum(["load", "domcontentloaded", "networkidle"]).optional(),
  frame_analysis: options({
    fps: between(1, 30).optional(),
    change_threshold: ratio.optional(),
    min_motion_duration_ms: z.number().optional(),
    gap_tolerance_ms: z.number().optional(),
  }).optional(),
});

const motionOptions = options({
  detection_mode: z
    .enum(["css", "video", "runtime", "hybrid"])
    .optional()
    .describe("video and hybrid also compare frames of the page while it is scrolled."),
  fetchExternalCss: flag,
  minDuration: z.number().min(0).default(0).describe("Milliseconds; shorter movements are left out."),
  maxPatterns: between(1, 4_000).default(500),
  includeWarnings: on,
  saveToDb: flag,
  enable_frame_capture: flag.describe("Pictures while the page is scrolled, at most 60, as files of the job."),
  frame_capture_options: frameCapture.optional(),
  analyze_frames: flag,
  frame_analysis_options: frameAnalysis.optional(),
  video_options: videoOptions.optional(),
  runtime_options: options({
    wait_for_animations: between(0, 30_000).optional(),
    scroll_positions: z.array(z.number().min(0).max(100)).max(20).optional(),
  }).optional(),
  detect_js_animations: flag,
  js_animation_options: options({
    enableCDP: flag,
    enableWebAnimations: flag,
    enableLibraryDetection: flag,
    waitTime: between(0, 10_000).optional(),
  }).optional(),
  detect_webgl_animations: flag,
  webgl_animation_options: options({
    sample_frames: between(5, 100).optional(),
    sample_interval_ms: between(50, 500).optional(),
    change_threshold: z.number().min(0.001).max(0.5).optional(),
    timeout_ms: between(5_000, 180_000).optional(),
  }).optional(),
  timeout: between(30_000, 600_000).optional().describe("As motionTimeout, and goes before it."),
});

const responsiveOptions = options({
  enabled: on,
  viewports: z.array(viewport).min(1).max(10).default(usualViewports),
  include_screenshots: off,
  include_diff_images: flag,
  diff_threshold: ratio.optional(),
  save_to_db: flag,
  detect_navigation: on,
  detect_visibility: on,
  detect_layout: on,
  breakpoint_resolution: z.enum(["range", "precise"]).optional(),
});

/** All parameters of `page_analyze`: what is listed is what is taken. */
export const analyzeInput = options({
  url: pageUrl,
  sourceType,
  usageScope,
  features: options({ layout: on, motion: on, quality: on }).prefault({}),
  summary: summaryInput,
  limit: limitInput,
  async: flag.describe("True answers at once with a job id. Without it a job is made too, unless useVision is false."),
  timeout: between(5_000, 600_000).default(600_000).describe("Maximum milliseconds for all phases."),
  waitUntil: z.enum(["load", "domcontentloaded", "networkidle"]).default("load"),
  timeout_strategy: z.enum(["strict", "progressive"]).default("progressive"),
  partial_results: on,
  layoutTimeout: between(5_000, 300_000).default(120_000),
  motionTimeout: between(5_000, 300_000).default(300_000),
  qualityTimeout: between(5_000, 60_000).default(60_000),
  auto_retry: on,
  max_retries: between(1, 3).default(3).describe("How often a page that could not be loaded is tried in all."),
  layout_first: z.enum(["auto", "always", "never"]).optional(),
  auto_timeout: flag,
  respect_robots_txt: respectRobots,
  layoutOptions: layoutOptions.prefault({}),
  motionOptions: motionOptions.prefault({}),
  qualityOptions: options({
    weights: weights.optional(),
    ...purpose,
    strict: off,
    includeRecommendations: on,
  }).prefault({}),
  narrativeOptions: options({
    enabled: flag,
    saveToDb: flag,
    includeVision: flag,
    visionTimeoutMs: between(30_000, 600_000).optional(),
    generateEmbedding: flag,
  }).optional(),
  visionOptions: options({
    visionTimeoutMs: between(1_000, 1_200_000).optional(),
    visionImageMaxSize: between(1_024, 10_000_000).optional(),
    visionForceCpu: flag,
    visionEnableProgress: flag,
    visionFallbackToHtmlOnly: flag,
  }).optional(),
  responsiveOptions: responsiveOptions.prefault({}),
});

export type AnalyzeInput = z.output<typeof analyzeInput>;
