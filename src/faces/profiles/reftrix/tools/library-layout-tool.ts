import { z } from "zod";
import { defined } from "../../../../job/defined.ts";
import type { SectionSource } from "../../../../kinds/page/contract.ts";
import { writeMarkup } from "../../../../library/code/markup.ts";
import type { Condition, FoundEntry } from "../../../../library/library.ts";
import type { IgnoredParameter } from "../ignored-parameters.ts";
import { defineReftrixTool, looksUp } from "../reftrix-tool.ts";
import { openLibraryFor, searchLibrary } from "./library-reader.ts";

const sectionTypes = [
  ...["hero", "feature", "cta", "testimonial", "pricing", "footer", "navigation", "about", "contact"],
  ...["gallery", "partners", "portfolio", "team", "stories", "research", "subscribe", "stats", "faq"],
] as const;
const ratio = z.number().min(0).max(1);
const hexColor = z.string().regex(/^#[0-9A-Fa-f]{6}$/, "expected a colour as #RRGGBB");

const filters = z.looseObject({
  sectionType: z.enum(sectionTypes).optional(),
  sourceType: z.enum(["award_gallery", "user_provided"]).optional(),
  usageScope: z.enum(["inspiration_only", "owned_asset"]).optional(),
  visualFeatures: z
    .looseObject({
      theme: z
        .looseObject({
          type: z.enum(["light", "dark", "mixed"]).optional(),
          minContrastRatio: z.number().min(1).max(21).optional(),
        })
        .optional(),
      colors: z
        .looseObject({
          dominantColor: hexColor.optional(),
          colorTolerance: z.number().min(0).max(100).default(15),
        })
        .optional(),
      density: z
        .looseObject({
          minContentDensity: ratio.optional(),
          maxContentDensity: ratio.optional(),
          minWhitespaceRatio: ratio.optional(),
        })
        .optional(),
    })
    .optional(),
  mood: z.unknown().optional(),
  brandTone: z.unknown().optional(),
});

const searchInput = z.looseObject({
  query: z.string().min(1).max(500),
  filters: filters.optional(),
  limit: z.int().min(1).max(50).default(10),
  offset: z.int().min(0).default(0),
  include_html: z.boolean().optional(),
  includeHtml: z.boolean().optional().describe("The same as include_html."),
  include_preview: z.boolean().default(true),
  preview_max_length: z.int().min(100).max(1_000).default(500),
  project_context: z.looseObject({}).optional(),
  auto_detect_context: z.boolean().optional(),
  use_vision_search: z.boolean().default(false),
  vision_search_query: z
    .looseObject({
      textQuery: z.string().min(1).max(500).optional(),
      visualFeatures: z.looseObject({}).optional(),
      sectionPatternId: z.uuid().optional().describe("A section to which others are to be similar."),
    })
    .optional(),
  vision_search_options: z.looseObject({ minSimilarity: ratio.optional() }).optional(),
  search_mode: z.enum(["text_only", "vision_only", "combined"]).default("text_only"),
  multimodal_options: z.looseObject({}).optional(),
});
type SearchInput = z.output<typeof searchInput>;

const noModel = { code: "VISION_NOT_AVAILABLE", why: "no vision model looks at pages" };
const noMood = { code: "NO_MOOD", why: "no model judges the mood of a section" };
const noDensity = { code: "NOT_MEASURED", why: "how densely a section is filled is not measured" };
const noProject = { code: "NO_PROJECT_CONTEXT", why: "the server does not read the caller's project" };

const ignored: readonly IgnoredParameter[] = [
  { path: "filters.mood", feature: "layout", harmless: [], ...noMood },
  { path: "filters.brandTone", feature: "layout", harmless: [], ...noMood },
  { path: "filters.visualFeatures.density", feature: "layout", harmless: [], ...noDensity },
  { path: "project_context", feature: "layout", harmless: [], ...noProject },
  { path: "vision_search_query.visualFeatures", feature: "layout", harmless: [], ...noModel },
  { path: "multimodal_options", feature: "layout", harmless: [], ...noModel },
];

const fallbackReason = "No vision model looks at pages: words and measured looks are searched instead.";

export const layoutSearchTool = defineReftrixTool({
  name: "layout_search",
  title: "Layout Search",
  description:
    "Search the sections of analysed pages by their words and by what they look like: colours, columns, images, fonts. No model is needed; similarity is measured, not guessed.",
  input: searchInput,
  annotations: looksUp,
  ignored,
  run: async (context, input, warnings) => {
    const like = input.vision_search_query?.sectionPatternId?.toLowerCase();
    const { results, total, searchTimeMs } = await searchLibrary(context, {
      kind: "section",
      query: input.query,
      limit: input.limit,
      offset: input.offset,
      conditions: toConditions(input),
      ...defined({
        like,
        types: toTypes(input),
        minSimilarity: input.use_vision_search ? input.vision_search_options?.minSimilarity : undefined,
      }),
    });
    const wantsVision = input.search_mode !== "text_only" || input.use_vision_search;
    const { library, reader } = openLibraryFor(context);
    const view = async (entry: FoundEntry): Promise<object> => {
      const wantsHtml = input.include_html ?? input.includeHtml ?? false;
      const isRead = entry.hasSource && (wantsHtml || input.include_preview);
      return viewSection(entry, isRead ? (await library.entry(entry.id, reader))?.source : undefined, input);
    };
    return {
      data: {
        results: await Promise.all(results.map(view)),
        total,
        query: input.query,
        ...(input.filters === undefined
          ? {}
          : { filters: input.filters, filtersApplied: appliedFilters(input.filters) }),
        searchTimeMs,
        searchMode: input.search_mode,
        actualSearchMode: "text_only",
        ...(wantsVision ? { fallbackReason } : {}),
        warnings: warnings.map(({ message }) => message),
      },
    };
  },
});

function toTypes({ filters: given }: SearchInput): readonly string[] | undefined {
  // Every page was named by its user, and nobody says that it is theirs.
  if (given?.sourceType === "award_gallery" || given?.usageScope === "owned_asset") return [];
  return given?.sectionType === undefined ? undefined : [given.sectionType];
}

function toConditions({ filters: given }: SearchInput): Condition[] {
  const { theme, colors } = given?.visualFeatures ?? {};
  const conditions: (Condition | undefined)[] = [
    theme?.type === undefined ? undefined : { key: "theme", anyOf: [theme.type] },
    theme?.minContrastRatio === undefined ? undefined : { key: "contrast", min: theme.minContrastRatio },
    colors?.dominantColor === undefined
      ? undefined
      : { key: "background", color: colors.dominantColor, tolerance: colors.colorTolerance },
  ];
  return conditions.filter((condition) => condition !== undefined);
}

function appliedFilters(given: NonNullable<SearchInput["filters"]>): string[] {
  const names = ["visualFeatures", "sectionType", "sourceType", "usageScope"] as const;
  return names.filter((name) => given[name] !== undefined);
}

function viewSection(entry: FoundEntry, source: SectionSource | undefined, input: SearchInput): object {
  const { id, type, title, text, similarity, page } = entry;
  const html = source && writeMarkup(source.root, { dialect: "html", classesOf: () => "", depth: 0 }).trimEnd();
  const wantsHtml = input.include_html ?? input.includeHtml ?? false;
  return {
    id,
    webPageId: page.id,
    type,
    similarity,
    preview: defined({
      heading: title === "" ? undefined : title,
      description: text === "" ? undefined : text.slice(0, 200),
    }),
    source: { url: page.url, type: "user_provided", usageScope: "inspiration_only" },
    ...(wantsHtml ? defined({ html }) : {}),
    ...(input.include_preview && html !== undefined
      ? { htmlPreview: html.slice(0, input.preview_max_length), previewLength: html.length }
      : {}),
  };
}
