import type { PageFacts } from "../facts.ts";
import { classifySections } from "./classify-sections.ts";
import { detectFramework } from "./css-framework.ts";
import type { Layout, UsedFont } from "./layout.ts";
import { readPalette } from "./palette.ts";

const maxContainers = 30;
const maxVariables = 200;

export function analyzeLayout(facts: PageFacts, used: readonly UsedFont[]): Layout {
  const { styles, css, document } = facts;
  const sections = classifySections(facts.sections, document.height);
  const sectionTypes: Record<string, number> = {};
  for (const { type } of sections) sectionTypes[type] = (sectionTypes[type] ?? 0) + 1;
  const containers = styles.containers.toSorted((a, b) => b.width - a.width || b.columns - a.columns);
  const grids = containers.filter(({ display }) => display === "grid");
  const widest = (grids.length > 0 ? grids : containers).reduce((max, { columns }) => Math.max(max, columns), 1);
  return {
    sections,
    sectionTypes,
    grid: {
      usesGrid: grids.length > 0,
      usesFlex: containers.some(({ display }) => display === "flex"),
      columns: widest,
      gap: maxCommon(containers.map(({ gap }) => gap).filter((gap) => gap > 0)) ?? 0,
      containers: containers.slice(0, maxContainers),
    },
    typography: readTypography(facts, used),
    palette: readPalette(styles),
    variables: {
      list: css.variables.slice(0, maxVariables),
      functions: css.functions.slice(0, 50),
      math: css.math,
    },
    breakpoints: readBreakpoints(css.mediaQueries),
    framework: detectFramework(document),
    landmarks: facts.landmarks,
  };
}

function readTypography({ styles, css, document }: PageFacts, used: readonly UsedFont[]): Layout["typography"] {
  const { texts } = styles;
  const total = Math.max(
    1,
    texts.reduce((sum, { characters }) => sum + characters, 0),
  );
  const shares = <Key>(key: (text: (typeof texts)[number]) => Key): { key: Key; share: number }[] => {
    const sums = new Map<Key, number>();
    for (const text of texts) sums.set(key(text), (sums.get(key(text)) ?? 0) + text.characters);
    return [...sums]
      .map(([value, sum]) => ({ key: value, share: Math.round((sum / total) * 1_000) / 1_000 }))
      .toSorted((a, b) => b.share - a.share);
  };
  const body = texts.find(({ isHeading }) => !isHeading);
  const levels = new Map<number, number>();
  for (const { level } of document.headings) levels.set(level, (levels.get(level) ?? 0) + 1);
  return {
    families: shares(({ family }) => firstFamily(family))
      .slice(0, 12)
      .map(({ key, share }) => ({ family: key, share })),
    sizes: shares(({ size }) => size)
      .slice(0, 20)
      .map(({ key, share }) => ({ size: key, share })),
    body:
      body === undefined ? null : { family: firstFamily(body.family), size: body.size, lineHeight: body.lineHeight },
    headings: [...levels].map(([level, count]) => ({ level, count })).toSorted((a, b) => a.level - b.level),
    weights: [...new Set(texts.map(({ weight }) => weight))].toSorted((a, b) => a - b),
    fontFaces: css.fontFaces.slice(0, 30),
    used,
  };
}

export function firstFamily(list: string): string {
  return (list.split(",")[0] ?? "").replace(/["']/g, "").trim();
}

/** Widths at which media queries switch, in pixels. */
export function readBreakpoints(queries: readonly string[]): number[] {
  const widths = queries.flatMap((query) =>
    [...query.matchAll(/([\d.]+)(px|em|rem)/g)]
      .filter(() => /width/.test(query))
      .map(([, number = "0", unit]) => Math.round(Number(number) * (unit === "px" ? 1 : 16))),
  );
  return [...new Set(widths)].filter((width) => width >= 200 && width <= 4_000).toSorted((a, b) => a - b);
}

function maxCommon(values: readonly number[]): number | undefined {
  const counts = new Map<number, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].toSorted((a, b) => b[1] - a[1])[0]?.[0];
}
