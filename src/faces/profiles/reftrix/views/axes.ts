import type { Found } from "./extent.ts";

type Quality = Found<"quality">;

export const axisWords = ["originality", "craftsmanship", "contextuality"] as const;
export type AxisWord = (typeof axisWords)[number];

export interface AxisView {
  readonly score: number;
  readonly grade: string;
  readonly details: readonly string[];
}

/** Each axis with what it gained and lost. */
export function viewAxis(quality: Quality, name: AxisWord): AxisView {
  const axes: Readonly<Partial<Record<AxisWord, Quality["axes"][keyof Quality["axes"]]>>> = quality.axes;
  const axis = axes[name];
  if (axis === undefined) return unratedAxis(quality, name);
  const details = axis.details.map(({ points, text }) => `${points > 0 ? "+" : ""}${points} ${text}`);
  return { score: axis.score, grade: axis.grade, details };
}

/** What an analysis does not rate stands at the overall score, whatever it is weighed by: so it praises and blames nothing. */
function unratedAxis({ score, grade }: Quality, name: AxisWord): AxisView {
  return { score, grade, details: [`${name} is not rated: this is the overall score.`] };
}

export function perAxis<Value>(quality: Quality, pick: (axis: AxisView) => Value): Record<AxisWord, Value> {
  return Object.fromEntries(axisWords.map((name) => [name, pick(viewAxis(quality, name))])) as Record<AxisWord, Value>;
}
