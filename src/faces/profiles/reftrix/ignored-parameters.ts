/** What a tool says of parameters that it could not honour. */
export interface Warning {
  readonly feature: string;
  readonly code: string;
  readonly message: string;
}

/** A parameter that the analysis cannot honour. */
export interface IgnoredParameter {
  readonly path: string;
  readonly feature: string;
  readonly code: string;
  readonly why: string;
  /** Values that ask for what happens anyway. */
  readonly harmless: readonly unknown[];
}

type Reason = Pick<IgnoredParameter, "code" | "why">;

const vision: Reason = { code: "VISION_NOT_AVAILABLE", why: "no vision model looks at pages" };
const video: Reason = { code: "VIDEO_NOT_AVAILABLE", why: "no video is recorded; frames are compared instead" };
const diffImages: Reason = { code: "DIFF_IMAGES_NOT_AVAILABLE", why: "differences are told in figures and words" };
const jpeg: Reason = { code: "SCREENSHOT_AS_KEPT", why: "screenshots are JPEG pictures, as they are kept" };
const lighthouse: Reason = {
  code: "LIGHTHOUSE_UNAVAILABLE",
  why: "Lighthouse does not run here; quality_evaluate measures",
};
const noCode: Reason = { code: "NO_CODE", why: "no model writes code here" };
const kept: Reason = { code: "ALWAYS_KEPT", why: "every analysis is kept with its job until its time has ended" };
const notKept: Reason = { code: "NO_DESIGN_DATABASE", why: "a page is not compared with those of the design library" };
const fixed: Reason = { code: "FIXED_BY_ANALYSIS", why: "the analysis always does this in its own way" };
const unrated: Reason = { code: "ORIGINALITY_NOT_RATED", why: "how original a design is cannot be measured honestly" };

function ignore(feature: string, { code, why }: Reason, path: string, ...harmless: unknown[]): IgnoredParameter {
  return { path, feature, code, why, harmless };
}

export const ignoredByAnalyze: readonly IgnoredParameter[] = [
  ignore("layout", fixed, "layout_first", "auto", "always"),
  ignore("layout", fixed, "auto_timeout", false),
  ignore("layout", vision, "layoutOptions.useVision", false),
  ignore("layout", vision, "layoutOptions.perSectionVision", false),
  ignore("layout", vision, "layoutOptions.visionBatchSize"),
  ignore("layout", vision, "layoutOptions.scrollVision", false),
  ignore("layout", vision, "layoutOptions.scrollVisionMaxCaptures"),
  ignore("layout", vision, "visionOptions"),
  ignore("layout", vision, "narrativeOptions.enabled", false),
  ignore("layout", vision, "narrativeOptions.includeVision", false),
  ignore("layout", notKept, "narrativeOptions.generateEmbedding", false),
  ignore("layout", fixed, "layoutOptions.fullPage", true),
  ignore("layout", fixed, "layoutOptions.autoAnalyze", true),
  ignore("layout", fixed, "layoutOptions.fetchExternalCss", true),
  ignore("motion", video, "motionOptions.video_options"),
  ...["output_dir", "filename_pattern"].map((name) =>
    ignore("motion", kept, `motionOptions.frame_capture_options.${name}`),
  ),
  ...["frame_dir", "sample_interval", "motion_threshold", "parallel"].map((name) =>
    ignore("motion", fixed, `motionOptions.frame_analysis_options.${name}`),
  ),
  ignore("motion", diffImages, "motionOptions.frame_analysis_options.output_diff_images", false),
  ignore("motion", fixed, "motionOptions.fetchExternalCss", true),
  ignore("motion", fixed, "motionOptions.runtime_options"),
  ignore("motion", fixed, "motionOptions.detect_js_animations", true),
  ignore("motion", fixed, "motionOptions.js_animation_options"),
  ignore("motion", fixed, "motionOptions.detect_webgl_animations", true),
  ignore("motion", fixed, "motionOptions.webgl_animation_options"),
  ignore("motion", kept, "motionOptions.saveToDb", true),
  ignore("quality", unrated, "qualityOptions.weights.originality", 0),
  ignore("quality", unrated, "qualityOptions.strict", false),
  ignore("responsive", kept, "responsiveOptions.save_to_db", true),
  ignore("responsive", diffImages, "responsiveOptions.include_diff_images", false),
  ignore("responsive", diffImages, "responsiveOptions.diff_threshold"),
  ignore("responsive", fixed, "responsiveOptions.breakpoint_resolution", "range"),
];

export const ignoredByIngest: readonly IgnoredParameter[] = [
  ignore("layout", fixed, "options.full_page", true),
  ...["wait_for_selector", "wait_for_selector_hidden", "wait_for_timeout", "dom_stable_timeout"].map((name) =>
    ignore("layout", fixed, `options.${name}`),
  ),
  ignore("layout", fixed, "options.wait_for_dom_stable", true),
  ignore("layout", fixed, "options.disable_javascript", false),
  ignore("layout", fixed, "options.disable_webgl", false),
  ignore("layout", fixed, "options.force_kill_on_timeout", true),
  ignore("layout", jpeg, "options.screenshot_format", "jpeg"),
  ...["quality", "max_width", "max_height"].map((name) => ignore("layout", jpeg, `options.screenshot_${name}`)),
  ignore("layout", fixed, "options.include_computed_styles", false),
  ignore("layout", fixed, "options.fetch_external_css", true),
  ...["timeout", "max_size", "max_concurrent", "max_files"].map((name) =>
    ignore("layout", fixed, `options.external_css_${name}`),
  ),
  ignore("responsive", diffImages, "options.responsive.include_diff_images", false),
  ignore("responsive", diffImages, "options.responsive.diff_threshold"),
  ignore("responsive", kept, "options.responsive.save_to_db", true),
];

export const ignoredByInspect: readonly IgnoredParameter[] = [
  ignore("layout", vision, "options.useVision", false),
  ignore("layout", vision, "options.visionOptions"),
];

export const ignoredByDetect: readonly IgnoredParameter[] = [
  ignore("motion", fixed, "includeInlineStyles", true),
  ignore("motion", fixed, "includeStyleSheets", true),
  ignore("motion", fixed, "fetchExternalCss", true),
  ignore("motion", fixed, "externalCssOptions"),
  ignore("motion", fixed, "include_perspective", false),
  ignore("motion", fixed, "runtime_options"),
  ignore("motion", fixed, "js_animation_options"),
  ignore("motion", kept, "save_to_db", true),
  ignore("motion", video, "video_options"),
  ignore("motion", lighthouse, "lighthouse_options"),
  ignore("motion", lighthouse, "analyze_metrics", false),
  ignore("motion", lighthouse, "analyze_metrics_options"),
  ...["output_dir", "filename_pattern"].map((name) => ignore("motion", kept, `frame_capture_options.${name}`)),
  ...["frame_dir", "sample_interval", "motion_threshold", "parallel"].map((name) =>
    ignore("motion", fixed, `frame_analysis_options.${name}`),
  ),
  ignore("motion", diffImages, "frame_analysis_options.output_diff_images", false),
];

export const ignoredByEvaluate: readonly IgnoredParameter[] = [
  ignore("quality", unrated, "weights.originality", 0),
  ignore("quality", unrated, "strict", false),
  ignore("quality", notKept, "patternComparison.minSimilarity"),
  ignore("quality", notKept, "patternComparison.maxPatterns"),
  ignore("quality", notKept, "context.projectId"),
  ignore("quality", notKept, "context.brandPaletteId"),
  ignore("quality", fixed, "use_playwright", true, false),
  ignore("quality", kept, "save_to_db", true, false),
  ignore("quality", noCode, "includeCodeExamples", true, false),
];

/** What a call asked for in vain. */
export function warnOfIgnored(
  ignored: readonly IgnoredParameter[],
  unknown: readonly string[],
  args: unknown,
): Warning[] {
  const given = ignored.filter(({ path, harmless }) => {
    const value = valueAt(args, path);
    return value !== undefined && !harmless.includes(value);
  });
  return [
    ...given.map(({ path, feature, code, why }) => ({ feature, code, message: `${path} has no effect: ${why}.` })),
    ...unknown.map((path) => ({
      feature: "layout",
      code: "UNKNOWN_PARAMETER",
      message: `${path} has no effect: there is no such parameter.`,
    })),
  ];
}

function valueAt(args: unknown, path: string): unknown {
  let value = args;
  for (const key of path.split(".")) {
    if (typeof value !== "object" || value === null) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}
