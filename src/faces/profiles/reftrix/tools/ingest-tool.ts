import { z } from "zod";
import { defined } from "../../../../job/defined.ts";
import type { OperationContext } from "../../../../operations/operation.ts";
import { ignoredByIngest } from "../ignored-parameters.ts";
import { analyse, readFiles, readPicture, type AnalysedPage } from "../page-jobs.ts";
import { toViewports } from "../page-request.ts";
import { defineReftrixTool, keepsPages, type ReftrixReply } from "../reftrix-tool.ts";
import { toExtent, type Extent, type View } from "../views/extent.ts";
import { describePage } from "../views/page-view.ts";
import { phaseMs } from "../views/phase-words.ts";
import { viewResponsive } from "../views/responsive-view.ts";
import {
  limitInput,
  pageUrl,
  respectRobots,
  sourceType,
  summaryInput,
  usageScope,
  usualViewports,
  viewport,
} from "./analyze-input.ts";

const flag = z.boolean().optional();
const on = z.boolean().default(true);
const off = z.boolean().default(false);
const between = (least: number, max: number): z.ZodOptional<z.ZodInt> => z.int().min(least).max(max).optional();
const selector = z.string().max(1_000).optional();

const responsive = z.looseObject({
  enabled: off,
  viewports: z.array(viewport).min(1).max(10).default(usualViewports),
  include_screenshots: on,
  include_diff_images: flag,
  diff_threshold: z.number().min(0).max(1).optional(),
  save_to_db: flag,
  detect_navigation: on,
  detect_visibility: on,
  detect_layout: on,
});

const options = z.looseObject({
  full_page: flag,
  viewport: viewport.omit({ name: true }).optional(),
  wait_for_selector: selector,
  wait_until: z.enum(["load", "domcontentloaded", "networkidle"]).default("load"),
  wait_for_dom_stable: flag,
  dom_stable_timeout: between(100, 5_000),
  wait_for_timeout: between(0, 30_000),
  wait_for_selector_hidden: selector,
  timeout: z.int().min(1_000).max(120_000).default(30_000).describe("Maximum milliseconds to load the page."),
  disable_javascript: flag,
  disable_webgl: flag,
  force_kill_on_timeout: flag,
  include_html: off,
  include_screenshot: off,
  truncate_html_bytes: between(100, 10_000_000),
  screenshot_format: z.enum(["png", "jpeg"]).optional(),
  screenshot_quality: between(1, 100),
  screenshot_max_width: between(1, 16_384),
  screenshot_max_height: between(1, 16_384),
  auto_optimize: off.describe("Leave out the screenshot, then the HTML, where a reply exceeds response_size_limit."),
  response_size_limit: z.int().min(10_000).max(50_000_000).default(1_000_000),
  save_to_db: flag,
  auto_analyze: on.describe("Every page is analysed, so that layout_inspect answers at once."),
  include_computed_styles: flag,
  fetch_external_css: flag,
  external_css_timeout: between(1_000, 30_000),
  external_css_max_size: between(1_024, 10_485_760),
  external_css_max_concurrent: between(1, 10),
  external_css_max_files: between(1, 50),
  responsive: responsive.prefault({}),
});

const ingestInput = z.looseObject({
  url: pageUrl,
  source_type: sourceType,
  usage_scope: usageScope,
  options: options.prefault({}),
  respect_robots_txt: respectRobots,
  summary: summaryInput,
  limit: limitInput,
});

type IngestInput = z.output<typeof ingestInput>;

export const ingestTool = defineReftrixTool({
  name: "layout_ingest",
  title: "Layout Ingest",
  description: "Load a web page and keep it under an id: metadata, and if asked its HTML and screenshots.",
  input: ingestInput,
  annotations: keepsPages,
  ignored: ignoredByIngest,
  run: ingest,
});

async function ingest(context: OperationContext, input: IngestInput): Promise<ReftrixReply> {
  const { url, options: wanted } = input;
  const size = wanted.viewport;
  const page = await analyse(context, {
    url,
    features: wanted.responsive.enabled ? ["layout", "responsive"] : ["layout"],
    viewports: toViewports(wanted.responsive.viewports),
    wait_until: wanted.wait_until,
    timeouts_ms: { load: wanted.timeout },
    include_html: wanted.include_html,
    keep: wanted.save_to_db ?? true,
    respect_robots: input.respect_robots_txt,
    viewport: size && { width: size.width, height: size.height },
  });
  const files = await readFiles(context, page, { html: wanted.include_html, screenshot: wanted.include_screenshot });
  const { analysis } = page;
  const data = defined({
    id: page.id,
    url,
    ...describePage(analysis),
    source: { type: input.source_type, usageScope: input.usage_scope },
    crawledAt: analysis.analyzedAt,
    savedToDb: wanted.save_to_db === false ? undefined : true,
    ...files,
    html: truncate(files["html"], wanted.truncate_html_bytes),
    responsiveAnalysis: await compareWindows(context, page, input, toExtent(input)),
  });
  return { links: page.links, data: wanted.auto_optimize ? fitInto(data, wanted.response_size_limit) : data };
}

function truncate(html: unknown, maxBytes: number | undefined): string | undefined {
  if (typeof html !== "string") return undefined;
  const bytes = Buffer.from(html, "utf8");
  return maxBytes === undefined || bytes.length <= maxBytes
    ? html
    : new TextDecoder().decode(bytes.subarray(0, maxBytes));
}

async function compareWindows(
  context: OperationContext,
  page: AnalysedPage,
  { options: { responsive: choice } }: IngestInput,
  extent: Extent,
): Promise<View | undefined> {
  const { responsive: found } = page.analysis;
  if (found === undefined) return undefined;
  const view = viewResponsive(found, choice, phaseMs(page.analysis, "responsive"), extent);
  if (!choice.include_screenshots) return view;
  const screenshots: View[] = [];
  for (const { name, width, height, pageHeight, screenshot } of found.viewports) {
    const picture =
      screenshot === undefined
        ? undefined
        : await readPicture(context, page, screenshot, { width, height: Math.max(height, pageHeight) });
    screenshots.push(defined({ name, width, height, screenshot: picture }));
  }
  return { ...view, screenshots };
}

/** The largest goes first; both are linked in any case. */
function fitInto(data: View, maxCharacters: number): View {
  const fits = (view: View): boolean => JSON.stringify(view).length <= maxCharacters;
  if (fits(data)) return data;
  const withoutPicture = defined({ ...data, screenshot: undefined });
  return fits(withoutPicture) ? withoutPicture : defined({ ...withoutPicture, html: undefined });
}
