import { defined } from "../../../../job/defined.ts";
import type { PageAnalysis } from "../../../../kinds/page/contract.ts";
import type { OperationContext } from "../../../../operations/operation.ts";
import { codeOfPhase } from "../error-codes.ts";
import type { Warning } from "../ignored-parameters.ts";
import { readFiles, type AnalysedPage } from "../page-jobs.ts";
import { wantsHtml, wantsScreenshot } from "../page-request.ts";
import type { AnalyzeInput } from "../tools/analyze-input.ts";
import { cut, toExtent, type View } from "./extent.ts";
import { viewLayout } from "./layout-view.ts";
import { viewMotion } from "./motion-view.ts";
import { phaseMs, phasesThat, phaseWord } from "./phase-words.ts";
import { viewQuality } from "./quality-view.ts";
import { viewResponsive } from "./responsive-view.ts";

/** The reply of `page_analyze` that has waited for its analysis. */
export async function viewPage(
  context: OperationContext,
  page: AnalysedPage,
  input: AnalyzeInput,
  ignored: readonly Warning[],
): Promise<View> {
  const { id, analysis } = page;
  const { features, motionOptions, qualityOptions, responsiveOptions } = input;
  const extent = toExtent(input);
  const { layout, motion, quality, responsive } = analysis;
  const found = warnOf(analysis);
  const warnings = cut([...ignored, ...found], 10, extent);
  const files = await readFiles(context, page, { html: wantsHtml(input), screenshot: wantsScreenshot(input) });
  return defined({
    id,
    url: analysis.url,
    ...describePage(analysis),
    source: { type: input.sourceType, usageScope: input.usageScope },
    layout: viewPart(
      "layout",
      analysis,
      features.layout,
      layout && { ...viewLayout(layout, analysis, id, extent), ...files },
    ),
    motion: viewPart(
      "motion",
      analysis,
      features.motion,
      motion && viewMotion(motion, motionOptions, { id, analysis, extent }),
    ),
    quality: viewPart(
      "quality",
      analysis,
      features.quality,
      quality && viewQuality(quality, qualityOptions.includeRecommendations, extent),
    ),
    totalProcessingTimeMs: analysis.durationMs,
    analyzedAt: analysis.analyzedAt,
    ...(warnings.length > 0
      ? {
          warnings,
          actionable_warnings: [...ignored.map(adviseToOmit), ...found.map(adviseToRead)].slice(0, warnings.length),
        }
      : {}),
    execution_status: viewExecution(analysis, input),
    backgroundDesigns: layout && viewBackgrounds(layout),
    responsiveAnalysis:
      responsive && viewResponsive(responsive, responsiveOptions, phaseMs(analysis, "responsive"), extent),
  });
}

/** What a page says of itself; what it does not say is left out. */
export function describePage({ finalUrl, page }: PageAnalysis): View {
  const told = Object.entries({ description: page.description, favicon: page.favicon, ogImage: page.ogImage });
  const metadata = { title: page.title, ...Object.fromEntries(told.filter(([, value]) => value !== "")) };
  return { normalizedUrl: normalizeUrl(finalUrl), metadata };
}

/** One part of the reply: what was found, or why nothing was. */
function viewPart(
  name: "layout" | "motion" | "quality",
  analysis: PageAnalysis,
  isAsked: boolean,
  view: View | undefined,
): View | undefined {
  if (!isAsked) return undefined;
  const processingTimeMs = phaseMs(analysis, name);
  if (view !== undefined) return { success: true, ...view, processingTimeMs };
  const phase = analysis.phases.find((one) => one.name === name);
  const code = phase?.state === "timed_out" ? "TIMEOUT_ERROR" : codeOfPhase(name);
  const error = { code, message: phase?.reason ?? `Nothing is known of the page's ${name}.` };
  return { success: false, ...emptyParts[name], processingTimeMs, error };
}

/** What a part has in any case. */
const emptyParts: Readonly<Record<"layout" | "motion" | "quality", View>> = {
  layout: { sectionCount: 0, sectionTypes: {} },
  motion: { patternCount: 0, categoryBreakdown: {}, warningCount: 0, a11yWarningCount: 0, perfWarningCount: 0 },
  quality: {
    overallScore: 0,
    grade: "F",
    axisScores: { originality: 0, craftsmanship: 0, contextuality: 0 },
    clicheCount: 0,
  },
};

/** Reftrix's words for kinds of backgrounds. */
const backgroundWords: Readonly<Record<string, string>> = {
  solid: "solid_color",
  glass: "glassmorphism",
  image: "image_background",
  svg: "svg_background",
};
const maxBackgrounds = 100;

/** One type for each background; without any there is nothing to tell. */
function viewBackgrounds({ palette }: NonNullable<PageAnalysis["layout"]>): View | undefined {
  const types = Object.entries(palette.backgrounds).flatMap(([kind, count]) =>
    Array.from({ length: Math.min(count, maxBackgrounds) }, () => backgroundWords[kind] ?? kind),
  );
  const count = Object.values(palette.backgrounds).reduce((sum, number) => sum + number, 0);
  return count === 0 ? undefined : { count, types: types.slice(0, maxBackgrounds), savedToDb: 0 };
}

function warnOf(analysis: PageAnalysis): Warning[] {
  const { phases, method, methodReason, motion } = analysis;
  return [
    ...phases
      .filter(({ state }) => state === "failed" || state === "timed_out")
      .map(({ name, state, reason = state }) => ({
        feature: featureOf(name),
        code: state === "timed_out" ? "TIMEOUT_ERROR" : codeOfPhase(name),
        message: reason,
      })),
    ...(method === "static"
      ? [
          {
            feature: "layout",
            code: "PLAYWRIGHT_NOT_AVAILABLE",
            message: methodReason ?? "No browser looked at the page.",
          },
        ]
      : []),
    ...(motion?.patterns.length === 0
      ? [{ feature: "motion", code: "CSS_NO_ANIMATIONS_DETECTED", message: "The page declares no animation." }]
      : []),
    ...analysis.warnings.map(({ code, message }) => ({ feature: "layout", code: code.toUpperCase(), message })),
  ];
}

/** Which of the four features a phase belongs to; loading is told with the layout. */
function featureOf(phase: string): string {
  const word = phaseWord(phase) ?? "layout";
  return word === "ingest" ? "layout" : word;
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

function viewExecution(analysis: PageAnalysis, { timeout, ...input }: AnalyzeInput): View {
  const { page, durationMs } = analysis;
  const late = phasesThat(analysis, "timed_out").filter(isTold);
  return {
    completed_phases: phasesThat(analysis, "done").flatMap(executionWords),
    failed_phases: phasesThat(analysis, "failed", "timed_out").flatMap(executionWords),
    ...(late.length > 0 ? { timedout_phases: late } : {}),
    timeout_occurred: analysis.phases.some(({ state }) => state === "timed_out"),
    actual_duration_ms: durationMs,
    webgl_detected: page.hasWebgl,
    timeout_extended: false,
    original_timeout_ms: timeout,
    effective_timeout_ms: timeout,
    phase_timeouts: {
      layout: input.layoutTimeout,
      motion: input.motionOptions.timeout ?? input.motionTimeout,
      quality: input.qualityTimeout,
    },
  };
}

function isTold(phase: string): boolean {
  return phase === "layout" || phase === "motion" || phase === "quality";
}

/** Here, and only here, loading a page is told as its HTML and its picture, and windows of other sizes are not told. */
function executionWords(phase: string): string[] {
  if (phase === "ingest") return ["html", "screenshot"];
  return isTold(phase) ? [phase] : [];
}

/** One spelling for addresses that mean the same page: sorted query, no fragment, single slashes, none at the end. */
function normalizeUrl(text: string): string {
  const url = new URL(text);
  url.hash = "";
  url.searchParams.sort();
  url.pathname = url.pathname.replace(/\/{2,}/g, "/").replace(/\/$/, "");
  return url.search === "" ? url.href.replace(/\/$/, "") : url.href;
}
