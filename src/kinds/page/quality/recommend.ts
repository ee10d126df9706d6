import { axisNames, type Axis, type AxisName, type Finding, type Recommendation, type Severity } from "./quality.ts";

const maxRecommendations = 10;
const priorities: Readonly<Record<Severity, Recommendation["priority"]>> = {
  critical: "high",
  serious: "high",
  moderate: "medium",
  minor: "low",
};
const order = { high: 0, medium: 1, low: 2 };

/** What to do first: each finding, and where an axis is weak without one, what would raise it. */
export function recommend(
  findings: readonly Finding[],
  axes: Readonly<Record<AxisName, Axis>>,
  weights: Readonly<Record<AxisName, number>>,
): Recommendation[] {
  const total = axisNames.reduce((sum, name) => sum + weights[name], 0) || 1;
  const gain = (axis: AxisName, points: number): number => Math.round(((points * weights[axis]) / total) * 10) / 10;
  const fromFindings = findings.map((item) => {
    const lost = axes.craftsmanship.details.find(({ text, points }) => points < 0 && text === item.title)?.points ?? 0;
    return {
      id: item.id,
      category: "craftsmanship" as const,
      priority: priorities[item.severity],
      title: item.title,
      description: item.advice,
      evidence: item.evidence,
      gain: gain("craftsmanship", -lost),
      selectors: item.selectors,
    };
  });
  const fromAxes = axisNames.flatMap((name) =>
    axes[name].details
      .filter(({ points, text }) => points < 0 && !findings.some(({ title }) => title === text))
      .map(({ points, text }, index) => ({
        id: `${name}-${index + 1}`,
        category: name,
        priority: points <= -12 ? ("high" as const) : ("medium" as const),
        title: text,
        description: "Say it in the page's text and headings.",
        evidence: text,
        gain: gain(name, -points),
        selectors: [],
      })),
  );
  return [...fromFindings, ...fromAxes]
    .toSorted((a, b) => order[a.priority] - order[b.priority] || b.gain - a.gain)
    .slice(0, maxRecommendations);
}
