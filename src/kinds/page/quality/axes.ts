import type { PageInput } from "../contract.ts";
import type { PageFacts } from "../facts.ts";
import type { Axis } from "./quality.ts";

type Points = Axis["details"][number];

export function gradeOf(score: number): Axis["grade"] {
  const steps = [
    [90, "A"],
    [80, "B"],
    [70, "C"],
    [60, "D"],
  ] as const;
  return steps.find(([least]) => score >= least)?.[1] ?? "F";
}

export function toAxis(start: number, details: readonly Points[]): Axis {
  const score = Math.round(Math.min(100, Math.max(0, start + details.reduce((sum, { points }) => sum + points, 0))));
  return { score, grade: gradeOf(score), details: details.filter(({ points }) => points !== 0) };
}

/** How well it fits what it is for. */
export function rateContextuality(
  { document, sections }: PageFacts,
  { industry, audience }: Pick<PageInput, "industry" | "audience">,
): Axis {
  const text = document.text.toLowerCase();
  const words = (topic: string): number =>
    topic
      .toLowerCase()
      .split(/\W+/)
      .filter((word) => word.length > 3 && text.includes(word)).length;
  const buttons = sections.reduce((sum, { buttons: count }) => sum + count, 0);
  const isComplete = ["header", "main", "footer"].every((tag) => (document.tags[tag] ?? 0) > 0);
  const fit = (topic: string | undefined, label: string): Points[] =>
    topic === undefined
      ? []
      : [
          {
            points: words(topic) > 0 ? 8 : -6,
            text: words(topic) > 0 ? `speaks of its ${label} (${topic})` : `no word of its ${label} (${topic})`,
          },
        ];
  return toAxis(66, [
    ...fit(industry, "industry"),
    ...fit(audience, "audience"),
    { points: isComplete ? 8 : 0, text: "header, main part and footer" },
    { points: buttons > 0 ? 6 : 0, text: "says what to do next" },
    {
      points: document.title.length >= 10 && document.description.length >= 50 ? 8 : 0,
      text: "title and description say what the page is",
    },
    { points: document.headings.filter(({ level }) => level === 1).length === 1 ? 6 : 0, text: "one main heading" },
    { points: text.length >= 400 ? 4 : -4, text: text.length >= 400 ? "enough text to judge by" : "hardly any text" },
    { points: document.ogImage !== "" ? 3 : 0, text: "a picture for previews" },
  ]);
}
