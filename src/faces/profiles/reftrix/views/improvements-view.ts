import type { Found, View } from "./extent.ts";

type Recommendation = Found<"quality">["recommendations"][number];

export interface ImprovementChoice {
  readonly categories?: readonly string[] | undefined;
  readonly minPriority?: Recommendation["priority"] | undefined;
  readonly maxSuggestions: number;
}

const ranks: Readonly<Record<Recommendation["priority"], number>> = { high: 0, medium: 1, low: 2 };

/** What would raise a page's score, as `quality.evaluate` tells it with `action: "suggest_improvements"`. */
export function viewImprovements(
  { recommendations }: Found<"quality">,
  { categories, minPriority = "low", maxSuggestions }: ImprovementChoice,
): View {
  const chosen = recommendations
    .filter(
      ({ category, priority }) => categories?.includes(category) !== false && ranks[priority] <= ranks[minPriority],
    )
    .slice(0, maxSuggestions);
  const categoryCounts: Record<string, number> = {};
  for (const { category } of chosen) categoryCounts[category] = (categoryCounts[category] ?? 0) + 1;
  const gain = chosen.reduce((sum, recommendation) => sum + recommendation.gain, 0);
  return {
    improvements: chosen.map(({ id, category, priority, title, description, gain: impact }) => ({
      id,
      category,
      priority,
      title,
      description,
      // No model writes code here.
      suggestedCode: "",
      impact,
    })),
    summary: {
      totalImprovements: chosen.length,
      estimatedScoreGain: Math.min(100, Math.round(gain * 10) / 10),
      categoryCounts,
    },
    generatedAt: new Date().toISOString(),
  };
}
