import { z } from "zod";
import type { PageAnalysis } from "../kinds/page/contract.ts";

/** Of an analysis, what is compared; absent where its phase failed or was not asked for. */
type Comparable = Pick<PageAnalysis, "url" | "analyzedAt" | "layout" | "motion" | "quality" | "performance">;

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
export function compareAnalyses(earlier: Comparable, later: Comparable): Comparison {
  const [before, after] = isMeasuredAlike(earlier, later) ? [earlier, later] : [unmeasured(earlier), unmeasured(later)];
  return {
    url: after.url,
    before: before.analyzedAt,
    after: after.analyzedAt,
    scores: compareScores(before, after),
    findings: joinFindings(
      compareFindings(before.quality, after.quality),
      compareFindings(before.performance, after.performance),
    ),
    sections: compareSections(before, after),
  };
}

/** Times under one preset say nothing about those under another. */
function isMeasuredAlike({ performance: before }: Comparable, { performance: after }: Comparable): boolean {
  return before?.conditions.preset === after?.conditions.preset;
}

function unmeasured({ performance: _performance, ...rest }: Comparable): Comparable {
  return rest;
}

function compareScores(before: Comparable, after: Comparable): Comparison["scores"] {
  const earlier = figures(before);
  return [...figures(after)].flatMap(([name, value]) => {
    const known = earlier.get(name);
    return known === undefined || value === undefined ? [] : [{ name, before: known, after: value }];
  });
}

function figures({ quality, motion, performance }: Comparable): Map<string, number | undefined> {
  const { axes, vitals, weight } = quality ?? {};
  const { vitals: loading, unusedCss, unusedScript } = performance ?? {};
  return new Map([
    ["overall", quality?.score],
    ...Object.entries(axes ?? {}).map(([name, { score }]) => [name, score] as const),
    ["largestPaintMs", vitals?.largestPaintMs],
    ["layoutShift", vitals?.layoutShift],
    ["blockingMs", vitals?.blockingMs],
    ["bytes", weight?.bytes],
    ["requests", weight?.requests],
    ["movements", motion?.total],
    ["loading.largestPaintMs", loading?.largestPaint.ms],
    ["loading.layoutShift", loading?.layoutShift.score],
    ["loading.blockingMs", loading?.blocking.ms],
    ["loading.loadedMs", loading?.loadedMs],
    ["loading.bytes", performance?.transfer.bytes],
    ["loading.unusedCssBytes", unusedCss?.unusedBytes],
    ["loading.unusedScriptBytes", unusedScript?.unusedBytes],
  ]);
}

interface Judged {
  readonly findings: readonly (z.output<typeof findingChange> & { readonly count: number })[];
}

function compareFindings(before: Judged | undefined, after: Judged | undefined): Comparison["findings"] {
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

function joinFindings(one: Comparison["findings"], other: Comparison["findings"]): Comparison["findings"] {
  return {
    came: [...one.came, ...other.came],
    went: [...one.went, ...other.went],
    changed: [...one.changed, ...other.changed],
  };
}

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
