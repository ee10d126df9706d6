import { z } from "zod";
import { defined } from "../../../../job/defined.ts";
import type { Condition } from "../../../../library/library.ts";
import type { IgnoredParameter } from "../ignored-parameters.ts";
import { defineReftrixTool, looksUp } from "../reftrix-tool.ts";
import { searchLibrary } from "./library-reader.ts";

const designTypes = [
  ...["solid_color", "linear_gradient", "radial_gradient", "conic_gradient", "mesh_gradient", "image_background"],
  ...["pattern_background", "video_background", "animated_gradient", "glassmorphism", "noise_texture"],
  ...["svg_background", "multi_layer", "unknown"],
] as const;

const paging = {
  query: z.string().min(1).max(500),
  limit: z.int().min(1).max(50).default(10),
  offset: z.int().min(0).default(0),
};

export const backgroundSearchTool = defineReftrixTool({
  name: "background_search",
  title: "Background Search",
  description:
    "Search the backgrounds of analysed pages, by words and colours: solid, gradients, images, glass, video.",
  input: z.looseObject({
    ...paging,
    filters: z
      .looseObject({ designType: z.enum(designTypes).optional(), webPageId: z.string().max(100).optional() })
      .optional(),
  }),
  annotations: looksUp,
  run: async (context, { query, limit, offset, filters }) => {
    const { designType, webPageId } = filters ?? {};
    const request = {
      ...{ kind: "background" as const, query, limit, offset },
      ...defined({ types: designType && [designType], page: webPageId?.toLowerCase() }),
    };
    const { results, total, searchTimeMs } = await searchLibrary(context, request);
    return {
      data: {
        results: results.map(({ id, type, title, text, facts, similarity, page }) => ({
          id,
          designType: type,
          cssValue: facts["css"],
          similarity,
          source: { webPageId: page.id },
          name: title,
          selector: facts["selector"] ?? null,
          colorInfo: { colors: facts["colors"] },
          textRepresentation: text,
        })),
        total,
        query,
        searchTimeMs,
      },
    };
  },
});

const notCompared = { code: "DIFF_IMAGES_NOT_AVAILABLE", why: "differences are told in figures and words" };
const ignored: readonly IgnoredParameter[] = [
  { path: "filters.minDiffPercentage", feature: "responsive", harmless: [0], ...notCompared },
];

export const responsiveSearchTool = defineReftrixTool({
  name: "responsive_search",
  title: "Responsive Search",
  description: "Search how analysed pages change from wide windows to narrow ones.",
  input: z.looseObject({
    ...paging,
    filters: z
      .looseObject({
        diffCategory: z
          .enum([
            ...(["layout", "typography", "spacing", "visibility"] as const),
            ...(["navigation", "image", "interaction", "animation"] as const),
          ])
          .optional(),
        viewportPair: z.enum(["desktop-tablet", "desktop-mobile", "tablet-mobile"]).optional(),
        breakpointRange: z
          .looseObject({ min: z.int().min(0).optional(), max: z.int().max(10_000).optional() })
          .optional(),
        minDiffPercentage: z.number().min(0).max(100).optional(),
        webPageId: z.uuid().optional(),
      })
      .optional(),
  }),
  annotations: looksUp,
  ignored,
  run: async (context, { query, limit, offset, filters }) => {
    const { diffCategory, viewportPair, breakpointRange, webPageId } = filters ?? {};
    const { min, max } = breakpointRange ?? {};
    const conditions: (Condition | undefined)[] = [
      diffCategory && { key: "categories", anyOf: [diffCategory] },
      viewportPair && { key: "pairs", anyOf: [viewportPair] },
      breakpointRange && { key: "breakpoints", ...defined({ min, max }) },
    ];
    const { results, total, searchTimeMs } = await searchLibrary(context, {
      ...{ kind: "responsive", query, limit, offset },
      conditions: conditions.filter((condition) => condition !== undefined),
      ...defined({ page: webPageId?.toLowerCase() }),
    });
    return {
      data: {
        results: results.map(({ id, text, facts, similarity, page }) => ({
          id,
          similarity,
          url: page.url,
          source: { webPageId: page.id, responsiveAnalysisId: id },
          viewportsAnalyzed: facts["viewports"],
          differencesCount: facts["differences"],
          breakpointsCount: Array.isArray(facts["breakpoints"]) ? facts["breakpoints"].length : 0,
          screenshotDiffs: [],
          analysisTimeMs: facts["analysis_ms"],
          textRepresentation: text,
        })),
        total,
        query,
        searchTimeMs,
      },
    };
  },
});
