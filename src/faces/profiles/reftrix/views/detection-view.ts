import { defined } from "../../../../job/defined.ts";
import type { Warning } from "../ignored-parameters.ts";
import type { AnalysedPage } from "../page-jobs.ts";
import { severities, type Detection } from "../tools/detect-input.ts";
import { cut, whole, type Extent, type Found, type View } from "./extent.ts";
import { thresholdsOf, viewCapture, viewFrameError, viewZones } from "./frames-view.ts";
import { fitPatterns } from "./fit-patterns.ts";
import { viewWarning } from "./motion-view.ts";
import { summarisePatterns } from "./pattern-view.ts";
import { viewScripted } from "./script-animations.ts";

type Motion = Found<"motion">;

interface Run {
  readonly detection: Detection;
  readonly ms: number;
  readonly ignored: readonly Warning[];
}

const schemaVersion = "0.1.0";

/** The original's schema requires them. */
const noVectors = {
  feature: "motion",
  code: "MOTION_VECTORS_NOT_MEASURED",
  message: "motionVectors is empty: where things move to from frame to frame is not measured.",
};

/** The motion of a page as `motion.detect` tells it. */
export function viewDetection({ id, analysis }: AnalysedPage, motion: Motion, { detection, ms, ignored }: Run): View {
  const extent: Extent = detection.summary === false ? whole : { form: "light", limit: detection.limit };
  const patterns = motion.patterns
    .filter(({ durationMs }) => durationMs >= detection.minDuration)
    .slice(0, detection.maxPatterns);
  const infos = [...ignored, ...(detection.compares ? [noVectors] : [])].map(toInfo);
  const warnings = [...motion.warnings.map(viewWarning), ...infos].filter(isToldBy(detection));
  return defined({
    pageId: id,
    ...fitPatterns(patterns, cut(patterns, 20, extent), detection),
    summary: detection.includeSummary ? summarisePatterns(patterns) : undefined,
    warnings: detection.includeWarnings ? cut(warnings, 5, extent) : undefined,
    metadata: {
      processingTimeMs: ms,
      librariesDetected: motion.libraries.map(({ name }) => name),
      detectedAt: analysis.analyzedAt,
      schemaVersion,
      ...viewMode(detection),
    },
    ...(detection.captures ? viewFrames(motion, detection, { id, analyzedAt: analysis.analyzedAt, ms }) : {}),
    js_animations: detection.detect_js_animations ? viewScripted(motion, ms, extent) : undefined,
  });
}

/** A call whose time has passed is answered with what there is by then. */
export function timedOut(detection: Detection, ms: number): View {
  const phase = detection.mode;
  const message = `The motion was not detected within ${detection.timeout} ms.`;
  return {
    patterns: [],
    ...(detection.includeSummary ? { summary: summarisePatterns([]) } : {}),
    warnings: [{ code: "MOTION_DETECTION_TIMEOUT", severity: "warning", message, context: { elapsedMs: ms, phase } }],
    metadata: {
      processingTimeMs: ms,
      detectedAt: new Date().toISOString(),
      schemaVersion,
      ...viewMode(detection),
      had_timeout: true,
      timeout_phase: phase,
      timeout_elapsed_ms: ms,
    },
  };
}

/** Looking for libraries alone has no word among the modes that a reply tells. */
function viewMode({ mode }: Detection): View {
  return mode === "library_only" ? {} : { detection_mode: mode };
}

function toInfo({ code, message }: Warning): { code: string; severity: string; message: string } {
  return { code, severity: "info", message };
}

function isToldBy({ min_severity: least }: Detection): (warning: { readonly severity: string }) => boolean {
  return ({ severity }) => severities.findIndex((known) => known === severity) >= severities.indexOf(least);
}

function viewFrames(
  { frames }: Motion,
  detection: Detection,
  { id, analyzedAt, ms }: { readonly id: string; readonly analyzedAt: string; readonly ms: number },
): View {
  const failure = viewFrameError(frames);
  if (frames === undefined || failure !== undefined) return { frame_capture_error: failure };
  const thresholds = thresholdsOf(detection.frame_analysis_options, { diff: 0.1, shift: 0.05 });
  return {
    frame_capture: viewCapture(frames, id, detection.frame_capture_options),
    ...(detection.compares ? { frame_analysis: viewZones(frames, { ...thresholds, detectedAt: analyzedAt, ms }) } : {}),
  };
}
