import { z } from "zod";
import type { OperationContext } from "../../../../operations/operation.ts";
import { ReftrixError } from "../error-codes.ts";
import { ignoredByEvaluate } from "../ignored-parameters.ts";
import { exactlyOne } from "../job-id.ts";
import { analyse, pageWith, type PageRequest } from "../page-jobs.ts";
import { toJudgement, toViewports } from "../page-request.ts";
import { defineReftrixTool, looksUp, type ReftrixReply } from "../reftrix-tool.ts";
import { noPatternAnalysis, viewEvaluation } from "../views/evaluation-view.ts";
import type { View } from "../views/extent.ts";
import { viewImprovements } from "../views/improvements-view.ts";
import { phaseMs } from "../views/phase-words.ts";
import { rateResponsive } from "../views/responsive-view.ts";
import { pageUrl, purpose, usualViewports, weightsOfOne } from "./analyze-input.ts";

const on = z.boolean().default(true);
const off = z.boolean().default(false);
const flag = z.boolean().optional();
const ratio = z.number().min(0).max(1).optional();
const categories = [
  "originality",
  "craftsmanship",
  "contextuality",
  "accessibility",
  "performance",
  "general",
] as const;

const responsiveEvaluation = z.looseObject({
  enabled: off,
  url: pageUrl.optional(),
  viewports: z
    .array(
      z.looseObject({
        name: z.string().max(50),
        width: z.int().min(320).max(3_840),
        height: z.int().min(480).max(2_160),
      }),
    )
    .min(1)
    .max(10)
    .default(usualViewports),
  checks: z.looseObject({ touchTargets: on, readability: on, overflow: on, images: on }).prefault({}),
  timeout: z.int().min(5_000).max(120_000).default(30_000),
});

const evaluateInput = z.looseObject({
  action: z.enum(["evaluate", "suggest_improvements"]).default("evaluate"),
  pageId: z.uuid().optional().describe("The id of an analysed page."),
  html: z.string().min(1).max(2_000_000).optional(),
  weights: weightsOfOne.optional(),
  ...purpose,
  includeRecommendations: on,
  strict: off.describe("Judge clichés harder."),
  patternComparison: z
    .looseObject({ enabled: on, minSimilarity: ratio, maxPatterns: z.int().min(1).max(20).optional() })
    .prefault({}),
  context: z
    .looseObject({ projectId: z.uuid().optional(), brandPaletteId: z.uuid().optional(), ...purpose })
    .optional(),
  use_playwright: flag,
  responsive_evaluation: responsiveEvaluation.prefault({}),
  save_to_db: flag,
  summary: on.describe("A few entries of each list; of recommendations those of high priority."),
  categories: z.array(z.enum(categories)).max(6).optional(),
  minPriority: z.enum(["high", "medium", "low"]).optional(),
  maxSuggestions: z.int().min(1).max(50).default(10),
  includeCodeExamples: flag,
});

type EvaluateInput = z.output<typeof evaluateInput>;

export const evaluateTool = defineReftrixTool({
  name: "quality_evaluate",
  title: "Quality Evaluate",
  description:
    "Rate an analysed page, or HTML, on three axes, with recommendations. A page is judged again if weights, strict, industry or audience are given.",
  input: evaluateInput,
  annotations: looksUp,
  ignored: ignoredByEvaluate,
  codes: {
    JOB_NOT_FOUND: "PAGE_NOT_FOUND",
    QUALITY_EVALUATION_FAILED: "EVALUATION_ERROR",
    NETWORK_ERROR: "EVALUATION_ERROR",
    HTTP_ERROR: "EVALUATION_ERROR",
    TIMEOUT_ERROR: "EVALUATION_ERROR",
    BROWSER_ERROR: "EVALUATION_ERROR",
    BROWSER_UNAVAILABLE: "SERVICE_UNAVAILABLE",
  },
  run: evaluate,
});

async function evaluate(context: OperationContext, input: EvaluateInput): Promise<ReftrixReply> {
  const { key, value } = exactlyOne(input, "pageId", "html");
  const source = key === "pageId" ? { id: value } : { html: value };
  const { id, analysis, links } = await pageWith("quality", context, source, measuresOf(input));
  const { quality } = analysis;
  if (quality === undefined) {
    throw new ReftrixError("EVALUATION_ERROR", "The page could not be judged; page_analyze says why.");
  }
  if (input.action === "suggest_improvements") {
    return { links, beside: { action: input.action }, data: viewImprovements(quality, input) };
  }
  const choice = { includeRecommendations: input.includeRecommendations, isBrief: input.summary };
  const responsiveDesign = await evaluateWindows(context, input.responsive_evaluation);
  return {
    links,
    data: {
      pageId: key === "pageId" ? value.toLowerCase() : id,
      ...viewEvaluation(quality, analysis.analyzedAt, choice),
      ...(input.patternComparison.enabled ? { patternAnalysis: noPatternAnalysis } : {}),
      ...(responsiveDesign === undefined ? {} : { responsiveDesign }),
      ...echo(input),
    },
  };
}

/** Without any, a page stays as it was judged. */
function measuresOf({ strict, ...input }: EvaluateInput): PageRequest {
  return toJudgement({ ...input, ...(strict ? { strict } : {}) });
}

/** What was given is told again. */
function echo({ weights, targetIndustry, targetAudience, context: evaluationContext }: EvaluateInput): View {
  const given = Object.entries({ weights, targetIndustry, targetAudience, evaluationContext });
  return Object.fromEntries(given.filter(([, value]) => value !== undefined));
}

async function evaluateWindows(
  context: OperationContext,
  { enabled, url, viewports, checks, timeout }: EvaluateInput["responsive_evaluation"],
): Promise<View | undefined> {
  if (!enabled || url === undefined) return undefined;
  const { analysis } = await analyse(context, {
    url,
    features: ["responsive"],
    viewports: toViewports(viewports),
    timeouts_ms: { responsive: timeout },
  });
  return analysis.responsive && rateResponsive(analysis.responsive, checks, phaseMs(analysis, "responsive"));
}
