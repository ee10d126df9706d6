import type { PageAnalysis } from "../../../kinds/page/contract.ts";
import type { OperationContext } from "../../../operations/operation.ts";
import type { AnalyzeInput } from "./tools/analyze-input.ts";
import { codeOfPhase } from "./error-codes.ts";
import { readFiles, type AnalysedPage } from "./page-jobs.ts";
import { wantsHtml, wantsScreenshot } from "./page-request.ts";
import {
  phaseMs,
  phaseWord,
  viewLayout,
  viewMotion,
  viewQuality,
  viewResponsive,
  type Extent,
  type PhaseWord,
} from "./part-views.ts";
import type { Warning } from "./ignored-parameters.ts";

/** The reply of `page_analyze` that has waited for its analysis. */
export async function viewPage(
  context: OperationContext,
  page: AnalysedPage,
  input: AnalyzeInput,
  ignored: readonly Warning[],
): Promise<Record<string, unknown>> {
  const { id, analysis } = page;
  const extent: Extent = { isLight: input.summary, limit: input.limit };
  const { layout, motion, quality, responsive } = analysis;
  const found = warnOf(analysis, input);
  const warnings = [...ignored, ...found];
  return {
    id,
    url: analysis.url,
    ...describePage(analysis),
    source: { type: input.sourceType, usageScope: input.usageScope },
    ...viewPart(
      "layout",
      analysis,
      input.features.layout,
      layout && {
        pageId: id,
        ...viewLayout(layout, extent),
        ...(extent.isLight
          ? {}
          : await readFiles(context, page, { html: wantsHtml(input), screenshot: wantsScreenshot(input) })),
      },
    ),
    ...viewPart("motion", analysis, input.features.motion, motion && viewMotion(motion, input.motionOptions, extent)),
    ...viewPart(
      "quality",
      analysis,
      input.features.quality,
      quality && viewQuality(quality, input.qualityOptions.includeRecommendations, extent),
    ),
    ...(layout === undefined ? {} : { backgroundDesigns: viewBackgrounds(layout) }),
    ...(responsive === undefined
      ? {}
      : { responsiveAnalysis: viewResponsive(responsive, leftOut(input), phaseMs(analysis, "responsive")) }),
    totalProcessingTimeMs: analysis.durationMs,
    analyzedAt: analysis.analyzedAt,
    ...(warnings.length > 0
      ? { warnings, actionable_warnings: [...ignored.map(adviseToOmit), ...found.map(adviseToRead)] }
      : {}),
    execution_status: viewExecution(analysis, input),
  };
}

export function describePage({ finalUrl, page }: PageAnalysis): Record<string, unknown> {
  const { title, description, favicon, ogImage } = page;
  return { normalizedUrl: normalizeUrl(finalUrl), metadata: { title, description, favicon, ogImage } };
}

/** One part of the reply: what was found, or why nothing was. */
function viewPart(
  name: "layout" | "motion" | "quality",
  analysis: PageAnalysis,
  isAsked: boolean,
  view: Record<string, unknown> | undefined,
): Record<string, unknown> {
  if (!isAsked) return {};
  const processingTimeMs = phaseMs(analysis, name);
  if (view !== undefined) return { [name]: { success: true, ...view, processingTimeMs } };
  const reason = analysis.phases.find((phase) => phase.name === name)?.reason ?? "unknown";
  return { [name]: { success: false, processingTimeMs, error: { code: codeOfPhase(name), message: reason } } };
}

function viewBackgrounds({ palette }: NonNullable<PageAnalysis["layout"]>): Record<string, unknown> {
  const count = Object.values(palette.backgrounds).reduce((sum, number) => sum + number, 0);
  return { count, types: Object.keys(palette.backgrounds), savedToDb: false };
}

function leftOut({ responsiveOptions: options }: AnalyzeInput): ReadonlySet<string> {
  const wanted = {
    navigation: options.detect_navigation,
    visibility: options.detect_visibility,
    layout: options.detect_layout,
  };
  return new Set(Object.entries(wanted).flatMap(([category, isWanted]) => (isWanted ? [] : [category])));
}

function warnOf(analysis: PageAnalysis, input: AnalyzeInput): Warning[] {
  const { phases, method, methodReason, motion } = analysis;
  return [
    ...phases
      .filter(({ state }) => state === "failed" || state === "timed_out")
      .map(({ name, state, reason = state }) => ({
        feature: phaseWord(name),
        code: state === "timed_out" ? "TIMEOUT_ERROR" : codeOfPhase(name),
        message: reason,
      })),
    ...(method === "static"
      ? [
          {
            feature: "page",
            code: "PLAYWRIGHT_NOT_AVAILABLE",
            message: methodReason ?? "No browser looked at the page.",
          },
        ]
      : []),
    ...(motion?.patterns.length === 0
      ? [{ feature: "motion", code: "CSS_NO_ANIMATIONS_DETECTED", message: "The page declares no animation." }]
      : []),
    ...(input.summary && (wantsHtml(input) || wantsScreenshot(input))
      ? [
          {
            feature: "layout",
            code: "LIGHT_RESPONSE",
            message: "HTML and screenshot are in the reply only with summary: false; they are linked.",
          },
        ]
      : []),
    ...analysis.warnings.map(({ code, message }) => ({ feature: "page", code: code.toUpperCase(), message })),
  ];
}

function adviseToOmit({ code, message }: Warning): Record<string, unknown> {
  const impact = "The result is the same as without it.";
  return { type: "warning", code, severity: "info", message, impact, action: "Leave the parameter out." };
}

function adviseToRead({ code, message, feature }: Warning): Record<string, unknown> {
  const impact = `What is said of ${feature} may be incomplete.`;
  const action = "Analyse the page again if it was a passing fault.";
  return { type: "warning", code, severity: "warning", message, impact, action };
}

function viewExecution({ phases, page, durationMs }: PageAnalysis, { timeout }: AnalyzeInput): Record<string, unknown> {
  const named = (...states: string[]): PhaseWord[] =>
    phases.filter(({ state }) => states.includes(state)).map(({ name }) => phaseWord(name));
  const late = named("timed_out");
  return {
    completed_phases: named("done"),
    failed_phases: named("failed", "timed_out"),
    ...(late.length > 0 ? { timedout_phases: late } : {}),
    timeout_occurred: late.length > 0,
    actual_duration_ms: durationMs,
    webgl_detected: page.hasWebgl,
    timeout_extended: false,
    original_timeout_ms: timeout,
    effective_timeout_ms: timeout,
  };
}

/** One spelling for addresses that mean the same page: sorted query, no fragment, single slashes, none at the end. */
function normalizeUrl(text: string): string {
  const url = new URL(text);
  url.hash = "";
  url.searchParams.sort();
  url.pathname = url.pathname.replace(/\/{2,}/g, "/").replace(/\/$/, "");
  return url.search === "" ? url.href.replace(/\/$/, "") : url.href;
}
