import type { Found } from "./extent.ts";

type Quality = Found<"quality">;

export const axisWords = ["originality", "craftsmanship", "contextuality"] as const;
export type AxisWord = (typeof axisWords)[number];

export interface AxisView {
  readonly score: number;
  readonly grade: string;
  readonly details: readonly string[];
}

const clicheCosts: Readonly<Record<Quality["cliches"][number]["severity"], number>> = { high: 20, medium: 10, low: 5 };

/** Each axis with what it gained and lost. */
export function viewAxis(quality: Quality, name: AxisWord): AxisView {
  const axes: Readonly<Partial<Record<AxisWord, Quality["axes"][keyof Quality["axes"]]>>> = quality.axes;
  const axis = axes[name];
  if (axis === undefined) return withoutAxis(quality);
  const details = axis.details.map(({ points, text }) => `${points > 0 ? "+" : ""}${points} ${text}`);
  return { score: axis.score, grade: axis.grade, details };
}

/** An analysis that does not rate originality still finds clichés, and that is then what its score is made of. */
function withoutAxis({ cliches }: Quality): AxisView {
  const lost = cliches.reduce((sum, { severity }) => sum + clicheCosts[severity], 0);
  const score = Math.max(0, 100 - lost);
  return {
    score,
    grade: gradeOf(score),
    details: cliches.map(({ severity, description }) => `-${clicheCosts[severity]} ${description}`),
  };
}

export function perAxis<Value>(quality: Quality, pick: (axis: AxisView) => Value): Record<AxisWord, Value> {
  return Object.fromEntries(axisWords.map((name) => [name, pick(viewAxis(quality, name))])) as Record<AxisWord, Value>;
}

function gradeOf(score: number): string {
  const steps = [
    [90, "A"],
    [80, "B"],
    [70, "C"],
    [60, "D"],
  ] as const;
  return steps.find(([least]) => score >= least)?.[1] ?? "F";
}
