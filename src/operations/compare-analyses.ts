import { z } from "zod";
import type { PageAnalysis } from "../kinds/page/contract.ts";

/** Of an analysis, what is compared; absent where its phase failed or was not asked for. */
type Comparable = Pick<PageAnalysis, "url" | "analyzedAt" | "layout" | "motion" | "quality">;

const change = z.object({ name: z.string(), before: z.number(), after: z.number() });
const findingChange = z.object({ id: z.string(), title: z.string(), severity: z.string() });

export const comparisonSchema = z.object({
  url: z.string(),
  before: z.string().describe("When the earlier analysis was made."),
  after: z.string(),
  scores: z.array(change).describe("Every score and measurement that both have."),
  findings: z.object({
    came: z.array(findingChange),
    went: z.array(findingChange),
    changed: z.array(findingChange.extend({ before: z.number(), after: z.number() })),
  }),
  sections: z.object({
    came: z.array(z.string()),
    went: z.array(z.string()),
    moved: z.array(z.object({ section: z.string(), before: z.number(), after: z.number() })),
  }),
});

export type Comparison = z.output<typeof comparisonSchema>;

/** What changed from one analysis of a page to a later one. */
export function compareAnalyses(before: Comparable, after: Comparable): Comparison {
  return {
    url: after.url,
    before: before.analyzedAt,
    after: after.analyzedAt,
    scores: compareScores(before, after),
    findings: compareFindings(before, after),
    sections: compareSections(before, after),
  };
}

function compareScores(before: Comparable, after: Comparable): Comparison["scores"] {
  const earlier = figures(before);
  return [...figures(after)].flatMap(([name, value]) => {
    const known = earlier.get(name);
    return known === undefined || value === undefined ? [] : [{ name, before: known, after: value }];
  });
}

function figures({ quality, motion }: Comparable): Map<string, number | undefined> {
  const { axes, vitals, weight } = quality ?? {};
  return new Map([
    ["overall", quality?.score],
    ...Object.entries(axes ?? {}).map(([name, { score }]) => [name, score] as const),
    ["largestPaintMs", vitals?.largestPaintMs],
    ["layoutShift", vitals?.layoutShift],
    ["blockingMs", vitals?.blockingMs],
    ["bytes", weight?.bytes],
    ["requests", weight?.requests],
    ["movements", motion?.total],
  ]);
}

function compareFindings({ quality: before }: Comparable, { quality: after }: Comparable): Comparison["findings"] {
  // Where one was not judged, nothing is known to have come or gone.
  if (before === undefined || after === undefined) return { came: [], went: [], changed: [] };
  const [earlier, later] = [byId(before), byId(after)];
  return {
    came: [...later.values()].filter(({ id }) => !earlier.has(id)).map(show),
    went: [...earlier.values()].filter(({ id }) => !later.has(id)).map(show),
    changed: [...later.values()].flatMap((item) => {
      const known = earlier.get(item.id);
      return known === undefined || known.count === item.count
        ? []
        : [{ ...show(item), before: known.count, after: item.count }];
    }),
  };
}

type Judged = NonNullable<Comparable["quality"]>;

function byId({ findings }: Judged): Map<string, Judged["findings"][number]> {
  return new Map(findings.map((item) => [item.id, item]));
}

function show({ id, title, severity }: z.output<typeof findingChange>): z.output<typeof findingChange> {
  return { id, title, severity };
}

/** Sections are the same when their type and heading are; of several alike, the first with the first. */
function compareSections({ layout: before }: Comparable, { layout: after }: Comparable): Comparison["sections"] {
  if (before === undefined || after === undefined) return { came: [], went: [], moved: [] };
  const place = (sections: typeof before.sections): Map<string, number> => {
    const seen = new Map<string, number>();
    return new Map(
      sections.map(({ type, heading }, index) => {
        const name = heading === "" ? type : `${type}: ${heading}`;
        const nth = (seen.get(name) ?? 0) + 1;
        seen.set(name, nth);
        return [nth === 1 ? name : `${name} (${nth})`, index];
      }),
    );
  };
  const [earlier, later] = [place(before.sections), place(after.sections)];
  return {
    came: [...later.keys()].filter((name) => !earlier.has(name)),
    went: [...earlier.keys()].filter((name) => !later.has(name)),
    moved: [...later].flatMap(([section, position]) => {
      const known = earlier.get(section);
      return known === undefined || known === position ? [] : [{ section, before: known, after: position }];
    }),
  };
}
