import { z } from "zod";
import { defined } from "../../../../job/defined.ts";
import type { OperationContext } from "../../../../operations/operation.ts";
import { pageUrl } from "./analyze-input.ts";
import { ignoredByIngest, ignoredByInspect } from "../ignored-parameters.ts";
import { exactlyOne } from "../job-id.ts";
import { analyse, findPage, readFiles, requestOf, type AnalysedPage, type PageRequest } from "../page-jobs.ts";
import { describePage } from "../page-view.ts";
import { phaseMs, viewLayout, viewResponsive, viewSections, whole } from "../part-views.ts";
import { defineReftrixTool, looksUp, opensPages, type ReftrixReply } from "../reftrix-tool.ts";

const flag = z.boolean().optional();
const on = z.boolean().default(true);
const off = z.boolean().default(false);
const viewport = z.looseObject({ width: z.int().min(320).max(4_096), height: z.int().min(240).max(16_384) });

const ingestInput = z.looseObject({
  url: pageUrl,
  options: z
    .looseObject({
      full_page: flag,
      viewport: viewport.optional(),
      wait_until: z.enum(["load", "domcontentloaded", "networkidle"]).default("load"),
      timeout: z.int().min(1_000).max(120_000).default(30_000).describe("Maximum milliseconds to load the page."),
      disable_javascript: flag,
      disable_webgl: flag,
      include_html: off,
      include_screenshot: off,
      screenshot_format: z.enum(["png", "jpeg"]).optional(),
      save_to_db: flag,
      auto_analyze: off.describe("Also answer with what the layout consists of."),
      responsive: z.looseObject({ enabled: off }).optional(),
    })
    .prefault({}),
});

export const ingestTool = defineReftrixTool({
  name: "layout_ingest",
  title: "Layout Ingest",
  description: "Load a web page and keep it under an id: metadata, and if asked its HTML, a screenshot and its layout.",
  input: ingestInput,
  annotations: opensPages,
  ignored: ignoredByIngest,
  run: ingest,
});

async function ingest(
  context: OperationContext,
  { url, options }: z.output<typeof ingestInput>,
): Promise<ReftrixReply> {
  const isResponsive = options.responsive?.enabled === true;
  const size = options.viewport;
  const page = await analyse(context, {
    url,
    features: isResponsive ? ["layout", "responsive"] : ["layout"],
    wait_until: options.wait_until,
    timeouts_ms: { load: options.timeout },
    include_html: options.include_html,
    keep: options.save_to_db ?? true,
    viewport: size && { width: size.width, height: size.height },
  });
  const { id, analysis, links } = page;
  const { layout, responsive } = analysis;
  return {
    links,
    data: {
      id,
      url,
      ...describePage(analysis),
      crawledAt: analysis.analyzedAt,
      ...(await readFiles(context, page, { html: options.include_html, screenshot: options.include_screenshot })),
      ...(options.auto_analyze && layout !== undefined ? { layout: viewLayout(layout, whole) } : {}),
      ...(responsive === undefined
        ? {}
        : { responsiveAnalysis: viewResponsive(responsive, new Set(), phaseMs(analysis, "responsive")) }),
      processingTimeMs: analysis.durationMs,
    },
  };
}

const inspectInput = z.looseObject({
  id: z.uuid().optional().describe("The id of an analysed page."),
  html: z.string().min(1).max(2_000_000).optional(),
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
});

export const inspectTool = defineReftrixTool({
  name: "layout_inspect",
  title: "Layout Inspect",
  description: "What the layout of an analysed page, or of HTML, consists of: sections, colours, typography, grid.",
  input: inspectInput,
  annotations: looksUp,
  ignored: ignoredByInspect,
  run: async (context, { options, ...input }) => {
    const { key, value } = exactlyOne(input, "id", "html");
    const page = await pageWith("layout", context, key === "id" ? { id: value } : { html: value });
    const { layout } = page.analysis;
    return {
      links: page.links,
      data: {
        id: page.id,
        ...(layout === undefined
          ? {}
          : defined({
              sections: options.detectSections ? viewSections(layout.sections) : undefined,
              colors: options.extractColors ? layout.palette : undefined,
              typography: options.analyzeTypography ? layout.typography : undefined,
              grid: options.detectGrid ? layout.grid : undefined,
              cssFramework: layout.framework,
            })),
        processingTimeMs: phaseMs(page.analysis, "layout"),
      },
    };
  },
});

export const paletteTool = defineReftrixTool({
  name: "style_get_palette",
  title: "Style Get Palette",
  description: "The colours of an analysed page, with their roles and shares, its theme and gradients.",
  input: z.looseObject({
    id: z.uuid().describe("The id of an analysed page."),
    include_gradients: on,
    include_variables: off.describe("Also the page's CSS variables."),
  }),
  annotations: looksUp,
  run: async (context, { id, ...wanted }) => {
    const page = await pageWith("layout", context, { id });
    const { layout } = page.analysis;
    if (layout === undefined) return { data: { id, colors: [] } };
    const { colors, theme, gradients } = layout.palette;
    return {
      data: {
        id: page.id,
        url: page.analysis.url,
        theme,
        colors,
        ...(wanted.include_gradients ? { gradients } : {}),
        ...(wanted.include_variables ? { variables: layout.variables.list } : {}),
      },
    };
  },
});

/** An analysed page; one that was analysed without this part, or is only HTML yet, is analysed for it now. */
export async function pageWith(
  part: "layout" | "motion" | "quality",
  context: OperationContext,
  source: { readonly id: string } | PageRequest,
  more: PageRequest = {},
): Promise<AnalysedPage> {
  const id = "id" in source ? source.id.toLowerCase() : undefined;
  if (id !== undefined && Object.keys(more).length === 0) {
    const page = await findPage(context, id);
    if (page.analysis[part] !== undefined) return page;
  }
  const request = "id" in source ? await requestOf(context, source.id.toLowerCase()) : source;
  return analyse(context, { check_links: request.html === undefined, ...request, ...more, features: [part] });
}
