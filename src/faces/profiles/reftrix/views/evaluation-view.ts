import { viewAxis } from "./axes.ts";
import type { Found, View } from "./extent.ts";

type Quality = Found<"quality">;

export interface EvaluationChoice {
  readonly includeRecommendations: boolean;
  /** A few of each list, and of the recommendations those that matter most. */
  readonly isBrief: boolean;
}

/** A page's quality as `quality.evaluate` tells it. */
export function viewEvaluation(quality: Quality, evaluatedAt: string, choice: EvaluationChoice): View {
  const few = <Entry>(list: readonly Entry[], max: number): readonly Entry[] =>
    choice.isBrief ? list.slice(0, max) : list;
  const { cliches, accessibility, recommendations } = quality;
  const wanted = recommendations.filter(({ priority }) => !choice.isBrief || priority === "high");
  return {
    overall: quality.score,
    grade: quality.grade,
    originality: viewAxis(quality, "originality"),
    craftsmanship: viewAxis(quality, "craftsmanship"),
    contextuality: viewAxis(quality, "contextuality"),
    clicheDetection: { detected: cliches.length > 0, count: cliches.length, patterns: few(cliches, 3) },
    ...(choice.includeRecommendations && wanted.length > 0
      ? { recommendations: few(wanted, 3).map(viewRecommendation) }
      : {}),
    ...(accessibility === null
      ? {}
      : { axeAccessibility: viewAccessibility(accessibility, violationsOf(quality), few) }),
    evaluatedAt,
  };
}

function viewRecommendation({
  id,
  category,
  priority,
  title,
  description,
  gain,
}: Quality["recommendations"][number]): View {
  return { id, category, priority, title, description, impact: gain };
}

/** Axe's rules begin with this in the ids of findings. */
const axePrefix = "a11y-";

function violationsOf({ findings }: Quality): View[] {
  return findings
    .filter(({ id, topic }) => topic === "accessibility" && id.startsWith(axePrefix))
    .map(({ id, severity, title, evidence, help, count }) => ({
      id: id.slice(axePrefix.length),
      impact: severity,
      description: evidence === "" ? title : evidence,
      help: title,
      helpUrl: help,
      nodes: count,
    }));
}

/** The score is the share of the rules that apply and hold. */
function viewAccessibility(
  { violations, passes }: NonNullable<Quality["accessibility"]>,
  all: readonly View[],
  few: (list: readonly View[], max: number) => readonly View[],
): View {
  const applied = violations + passes;
  const score = applied === 0 ? 100 : Math.round((100 * passes) / applied);
  return { violations: few(all, 5), passes, score, wcagLevel: reckonLevel(score, all) };
}

/** As the original does it; rules alone cannot tell that a page conforms. */
function reckonLevel(score: number, violations: readonly View[]): "A" | "AA" | "AAA" {
  const impacts = new Set(violations.map(({ impact }) => impact));
  const isGrave = impacts.has("critical") || (impacts.has("serious") && score < 90);
  if (isGrave || score < 80) return "A";
  return score < 95 ? "AA" : "AAA";
}

/** Reftrix compares with its database of patterns; where it cannot, it says so like this. */
export const noPatternAnalysis = {
  similarSections: [],
  similarMotions: [],
  benchmarksUsed: [],
  uniquenessScore: 50,
  patternSimilarityAvg: 0,
  patternDrivenEnabled: false,
  fallbackUsed: true,
  fallbackReason: "A page is not compared with those of the design library, so the figures here say nothing.",
};
