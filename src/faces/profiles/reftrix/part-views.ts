import type { PageAnalysis } from "../../../kinds/page/contract.ts";
import { comparesFrames, wantsFrames, type FrameWishes } from "./page-request.ts";

type Found<Part extends keyof PageAnalysis> = NonNullable<PageAnalysis[Part]>;
type View = Record<string, unknown>;

/** How much of each list is shown. */
export interface Extent {
  readonly isLight: boolean;
  /** Goes before the usual length of a list in a light reply. */
  readonly limit?: number;
}

export const whole: Extent = { isLight: false };

function cut<Entry>(list: readonly Entry[], usual: number, { isLight, limit = usual }: Extent): readonly Entry[] {
  return isLight ? list.slice(0, limit) : list;
}

const phaseWords = {
  load: "ingest",
  layout: "layout",
  motion: "motion",
  quality: "quality",
  responsive: "responsive",
  report: "report",
} as const;

export type PhaseWord = (typeof phaseWords)[keyof typeof phaseWords];

/** What Reftrix calls a phase; it has none for the report. */
export function phaseWord(name: string): PhaseWord {
  return phaseWords[name as keyof typeof phaseWords] ?? "ingest";
}

export function phaseMs({ phases }: PageAnalysis, name: string): number {
  return phases.find((phase) => phase.name === name)?.ms ?? 0;
}

export function viewLayout(layout: Found<"layout">, extent: Extent): View {
  const { framework, confidence, evidence, secondary } = layout.framework;
  const names = layout.variables.list.map(({ name }) => name);
  const composite = {
    primary: framework,
    secondary,
    confidenceMap: { [framework]: confidence },
    hasCssVariables: names.length > 0,
    cssVariablesConfidence: names.length > 0 ? 1 : 0,
  };
  const view = {
    sectionCount: layout.sections.length,
    sectionTypes: countTypes(layout),
    cssFramework: { framework, confidence, evidence, ...(secondary.length > 0 ? { composite } : {}) },
    sections: viewSections(cut(layout.sections, 10, extent)),
  };
  if (extent.isLight) return view;
  const { palette, grid, typography } = layout;
  return {
    ...view,
    visualFeatures: {
      colors: palette.colors,
      theme: palette.theme,
      gradient: { hasGradient: palette.gradients.length > 0, gradients: palette.gradients },
    },
    cssVariables: viewVariables(layout),
    grid,
    typography,
  };
}

export function viewSections(sections: readonly Found<"layout">["sections"][number][]): View[] {
  return sections.map(({ id, type, position, heading, confidence }) => ({
    id,
    type: sectionWord(type),
    positionIndex: position,
    ...(heading === "" ? {} : { heading }),
    confidence,
  }));
}

/** Reftrix has no word for these. */
const ownTypes = new Set(["article", "content", "sidebar"]);

function sectionWord(type: string): string {
  return ownTypes.has(type) ? "unknown" : type;
}

function countTypes({ sectionTypes }: Found<"layout">): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const [type, count] of Object.entries(sectionTypes)) {
    const word = sectionWord(type);
    counts[word] = (counts[word] ?? 0) + count;
  }
  return counts;
}

function viewVariables({ variables: { list, functions } }: Found<"layout">): View {
  const of = (name: string): string[] => functions.filter((text) => text.startsWith(name));
  return { variables: list, clampValues: of("clamp"), calcExpressions: of("calc") };
}

export interface MotionChoice extends FrameWishes {
  readonly minDuration: number;
  readonly maxPatterns: number;
  readonly includeWarnings: boolean;
}

const levels: Readonly<Record<string, string>> = { compositor: "good", paint: "acceptable", layout: "poor" };

function isScripted({ type }: { type: string }): boolean {
  return type === "web_animation";
}

export function viewMotion(motion: Found<"motion">, choice: MotionChoice, extent: Extent): View {
  const asked = motion.patterns.filter(({ durationMs }) => durationMs >= choice.minDuration);
  const patterns = asked.filter((pattern) => !isScripted(pattern)).slice(0, choice.maxPatterns);
  const categoryBreakdown: Record<string, number> = {};
  for (const { category } of patterns) categoryBreakdown[category] = (categoryBreakdown[category] ?? 0) + 1;
  const about = (topic: string): number => motion.warnings.filter((warning) => warning.topic === topic).length;
  const libraries = motion.libraries.map(({ name }) => name);
  const animated = motion.canvases.filter(({ isAnimated }) => isAnimated).length;
  return {
    patternCount: patterns.length,
    categoryBreakdown,
    warningCount: motion.warnings.length,
    a11yWarningCount: about("accessibility"),
    perfWarningCount: about("performance"),
    patterns: cut(patterns, 20, extent).map(viewPattern),
    ...(choice.includeWarnings ? { warnings: motion.warnings.map(viewWarning) } : {}),
    js_animation_summary: {
      webAnimationCount: motion.webAnimations,
      detectedLibraries: libraries,
      totalDetected: motion.webAnimations + libraries.length,
    },
    ...(extent.isLight ? {} : { js_animations: asked.filter(isScripted).map(viewPattern) }),
    webgl_animation_summary: {
      totalCanvasElements: motion.canvases.length,
      animatedCanvasCount: animated,
      detectedLibraries: libraries,
      totalPatterns: animated,
    },
    ...(wantsFrames(choice) ? viewFrames(motion.frames, choice) : {}),
  };
}

/** The pictures themselves are files of the job, under these names. */
function viewFrames(frames: Found<"motion">["frames"], wishes: FrameWishes): View {
  const { list, stepPx, error } = frames ?? { list: [], stepPx: 0, error: "Frames need a browser." };
  if (error !== undefined) return { frame_capture_error: { code: "FRAME_CAPTURE_FAILED", message: error } };
  const capture = {
    total_frames: list.length,
    scroll_px_per_frame: stepPx,
    duration_ms: list.at(-1)?.atMs ?? 0,
    frames: list.map(({ name, top, atMs }) => ({ file: name, scroll_y: top, timestamp_ms: atMs })),
  };
  if (!comparesFrames(wishes)) return { frame_capture: capture };
  const threshold = wishes.frame_analysis_options?.diff_threshold ?? 0.01;
  const shares = list.flatMap(({ changed }) => changed ?? []);
  const sum = shares.reduce((total, share) => total + share, 0);
  return {
    frame_capture: capture,
    frame_analysis: {
      analyzed_pairs: shares.length,
      diff_threshold: threshold,
      changed_pairs: shares.filter((share) => share >= threshold).length,
      average_diff_percent: shares.length === 0 ? 0 : toPercent(sum / shares.length),
      max_diff_percent: toPercent(Math.max(0, ...shares)),
    },
  };
}

function toPercent(share: number): number {
  return Math.round(share * 10_000) / 100;
}

function viewPattern(pattern: Found<"motion">["patterns"][number]): View {
  const { id, name, type, category, trigger, easing, properties } = pattern;
  return {
    id,
    name,
    type,
    category,
    trigger,
    duration: pattern.durationMs,
    easing,
    properties,
    performance: {
      level: levels[pattern.cost] ?? "acceptable",
      usesTransform: properties.includes("transform"),
      usesOpacity: properties.includes("opacity"),
    },
    accessibility: { respectsReducedMotion: pattern.respectsReducedMotion },
  };
}

function viewWarning({ code, severity, message }: Found<"motion">["warnings"][number]): View {
  return { code: code.toUpperCase(), severity, message };
}

export function viewQuality(quality: Found<"quality">, includeRecommendations: boolean, extent: Extent): View {
  const axes = Object.entries(quality.axes);
  const perAxis = <Value>(pick: (axis: (typeof axes)[number][1]) => Value): Record<string, Value> =>
    Object.fromEntries(axes.map(([name, axis]) => [name, pick(axis)]));
  const recommendations = cut(quality.recommendations, 5, extent).map(
    ({ id, category, priority, title, description, gain }) => ({
      id,
      category,
      priority,
      title,
      description,
      expectedImpact: `+${gain} points`,
    }),
  );
  return {
    overallScore: quality.score,
    grade: quality.grade,
    // A field of the original that clients look for.
    axisScores: { originality: null, ...perAxis(({ score }) => score) },
    clicheCount: quality.cliches.length,
    ...(includeRecommendations ? { recommendations } : {}),
    ...(extent.isLight
      ? {}
      : {
          axisGrades: { originality: null, ...perAxis(({ grade }) => grade) },
          axisDetails: perAxis(({ details }) =>
            details.map(({ points, text }) => `${points > 0 ? "+" : ""}${points} ${text}`),
          ),
          cliches: quality.cliches,
          findings: quality.findings,
        }),
  };
}

/** Differences of these categories were not asked for. */
export function viewResponsive(
  responsive: Found<"responsive">,
  left: ReadonlySet<string>,
  analysisTimeMs: number,
): View {
  return {
    viewportsAnalyzed: viewSizes(responsive),
    differences: responsive.differences
      .filter(({ category }) => !left.has(category))
      .map(({ category, element, description }) => ({ category, element, description })),
    breakpoints: responsive.breakpoints,
    analysisTimeMs,
  };
}

export function viewSizes({ viewports }: Found<"responsive">): View[] {
  return viewports.map(({ name, width, height }) => ({ name, width, height }));
}
