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
const kept: Reason = { code: "ALWAYS_KEPT", why: "every analysis is kept with its job until its time has ended" };
const notKept: Reason = { code: "NO_DESIGN_DATABASE", why: "there is no database of designs" };
const fixed: Reason = { code: "FIXED_BY_ANALYSIS", why: "the analysis always does this in its own way" };

function ignore(feature: string, { code, why }: Reason, path: string, ...harmless: unknown[]): IgnoredParameter {
  return { path, feature, code, why, harmless };
}

export const ignoredByAnalyze: readonly IgnoredParameter[] = [
  ignore("page", fixed, "layout_first", "auto", "always"),
  ignore("page", fixed, "auto_timeout", false),
  ignore("layout", vision, "layoutOptions.useVision", false),
  ignore("layout", vision, "layoutOptions.perSectionVision", false),
  ignore("layout", vision, "layoutOptions.visionBatchSize"),
  ignore("layout", vision, "layoutOptions.scrollVision", false),
  ignore("layout", vision, "layoutOptions.scrollVisionMaxCaptures"),
  ignore("layout", vision, "visionOptions"),
  ignore("narrative", vision, "narrativeOptions.enabled", false),
  ignore("narrative", vision, "narrativeOptions.includeVision", false),
  ignore("narrative", notKept, "narrativeOptions.generateEmbedding", false),
  ignore("layout", fixed, "layoutOptions.fullPage", true),
  ignore("layout", fixed, "layoutOptions.autoAnalyze", true),
  ignore("layout", fixed, "layoutOptions.fetchExternalCss", true),
  ignore("motion", video, "motionOptions.video_options"),
  ...["output_dir", "filename_pattern"].map((name) =>
    ignore("motion", kept, `motionOptions.frame_capture_options.${name}`),
  ),
  ...["frame_dir", "sample_interval", "cls_threshold", "motion_threshold", "parallel"].map((name) =>
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
  ignore("responsive", kept, "responsiveOptions.save_to_db", true),
  ignore("responsive", diffImages, "responsiveOptions.include_diff_images", false),
  ignore("responsive", diffImages, "responsiveOptions.diff_threshold"),
  ignore("responsive", fixed, "responsiveOptions.breakpoint_resolution", "range"),
];

export const ignoredByIngest: readonly IgnoredParameter[] = [
  ignore("layout", fixed, "options.full_page", true),
  ignore("layout", fixed, "options.disable_javascript", false),
  ignore("layout", fixed, "options.disable_webgl", false),
  ignore("layout", fixed, "options.screenshot_format", "jpeg"),
];

export const ignoredByInspect: readonly IgnoredParameter[] = [
  ignore("layout", vision, "options.useVision", false),
  ignore("layout", vision, "options.visionOptions"),
];

export const ignoredByBatchIngest: readonly IgnoredParameter[] = [ignore("layout", kept, "options.save_to_db", true)];

export const ignoredByDetect: readonly IgnoredParameter[] = [ignore("motion", fixed, "detect_js_animations", true)];

export const ignoredByEvaluate: readonly IgnoredParameter[] = [
  ignore("quality", notKept, "patternComparison"),
  ignore("quality", notKept, "context"),
  ignore("quality", fixed, "use_playwright", true),
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
      feature: "page",
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
