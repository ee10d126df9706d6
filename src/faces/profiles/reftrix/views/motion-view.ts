import { phaseMs } from "./phase-words.ts";
import type { PageAnalysis } from "../../../../kinds/page/contract.ts";
import { comparesFrames, wantsFrames, type FrameWishes } from "../page-request.ts";
import { cut, type Extent, type Found, type View } from "./extent.ts";
import { thresholdsOf, viewCapture, viewFrameError, viewTimeline } from "./frames-view.ts";
import { isScripted, viewScripted, viewScriptSummary } from "./script-animations.ts";

type Motion = Found<"motion">;

export interface MotionChoice extends FrameWishes {
  readonly minDuration: number;
  readonly maxPatterns: number;
  readonly includeWarnings: boolean;
}

/** Reftrix's words for our warnings. */
const warningCodes: Readonly<Record<Motion["warnings"][number]["code"], string>> = {
  no_reduced_motion: "A11Y_NO_REDUCED_MOTION",
  infinite_motion: "A11Y_INFINITE_ANIMATION",
  layout_motion: "PERF_LAYOUT_TRIGGER",
  many_motions: "PERF_TOO_MANY_ANIMATIONS",
  long_motion: "PERF_LONG_DURATION",
};

const levels: Readonly<Record<string, string>> = { compositor: "good", paint: "acceptable", layout: "poor" };

/** The motion of `page.analyze`. */
export function viewMotion(
  motion: Motion,
  choice: MotionChoice,
  { id, analysis, extent }: { readonly id: string; readonly analysis: PageAnalysis; readonly extent: Extent },
): View {
  const asked = motion.patterns.filter(({ durationMs }) => durationMs >= choice.minDuration);
  const patterns = asked.filter((pattern) => !isScripted(pattern)).slice(0, choice.maxPatterns);
  const categoryBreakdown: Record<string, number> = {};
  for (const { category } of patterns) categoryBreakdown[category] = (categoryBreakdown[category] ?? 0) + 1;
  const about = (topic: string): number => motion.warnings.filter((warning) => warning.topic === topic).length;
  const detectionTimeMs = phaseMs(analysis, "motion");
  const lists = {
    patterns: cut(patterns, 20, extent).map(viewPattern),
    ...(choice.includeWarnings ? { warnings: cut(motion.warnings, 10, extent).map(viewWarning) } : {}),
  };
  return {
    patternCount: patterns.length,
    categoryBreakdown,
    warningCount: motion.warnings.length,
    a11yWarningCount: about("accessibility"),
    perfWarningCount: about("performance"),
    ...(extent.form === "short" ? {} : lists),
    js_animation_summary: viewScriptSummary(motion, detectionTimeMs),
    ...(extent.form === "short" ? {} : { js_animations: viewScripted(motion, detectionTimeMs, extent) }),
    webgl_animation_summary: viewCanvases(motion, detectionTimeMs),
    ...(wantsFrames(choice) ? viewFrames(motion, choice, id) : {}),
  };
}

function viewCanvases({ canvases, libraries }: Motion, detectionTimeMs: number): View {
  const animated = canvases.filter(({ isAnimated }) => isAnimated).length;
  return {
    totalCanvasElements: canvases.length,
    animatedCanvasCount: animated,
    detectedLibraries: libraries.map(({ name }) => name),
    totalPatterns: animated,
    detectionTimeMs,
  };
}

function viewFrames({ frames }: Motion, choice: MotionChoice, id: string): View {
  const failure = viewFrameError(frames);
  if (frames === undefined || failure !== undefined) return { frame_capture_error: failure };
  return {
    frame_capture: viewCapture(frames, id, choice.frame_capture_options),
    ...(comparesFrames(choice)
      ? {
          frame_analysis: viewTimeline(frames, thresholdsOf(choice.frame_analysis_options, { diff: 0.01, shift: 0.1 })),
        }
      : {}),
  };
}

function viewPattern(pattern: Motion["patterns"][number]): View {
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

export function viewWarning({ code, severity, message }: Motion["warnings"][number]): {
  code: string;
  severity: string;
  message: string;
} {
  return { code: warningCodes[code], severity, message };
}
