import type { PageFacts } from "../facts.ts";
import { classifySections, type Section } from "./classify-sections.ts";
import { detectFramework, type CssFramework } from "./css-framework.ts";
import { readPalette, type Palette } from "./palette.ts";

/** A font as it was really drawn. */
export interface UsedFont {
  readonly asked: string;
  readonly used: readonly { readonly family: string; readonly glyphs: number; readonly isDownloaded: boolean }[];
  readonly selector: string;
}

export interface Typography {
  readonly families: readonly { readonly family: string; readonly share: number }[];
  readonly sizes: readonly { readonly size: number; readonly share: number }[];
  readonly body: { readonly family: string; readonly size: number; readonly lineHeight: number } | null;
  readonly headings: readonly { readonly level: number; readonly count: number }[];
  readonly weights: readonly number[];
  readonly fontFaces: readonly { readonly family: string; readonly display: string }[];
  /** Empty where the fonts that were used could not be asked for. */
  readonly used: readonly UsedFont[];
}

export interface Layout {
  readonly sections: readonly Section[];
  readonly sectionTypes: Readonly<Record<string, number>>;
  readonly grid: {
    readonly usesGrid: boolean;
    readonly usesFlex: boolean;
    readonly columns: number;
    readonly gap: number;
    readonly containers: PageFacts["styles"]["containers"];
  };
  readonly typography: Typography;
  readonly palette: Palette;
  readonly variables: { readonly list: PageFacts["css"]["variables"]; readonly functions: readonly string[] };
  readonly breakpoints: readonly number[];
  readonly framework: CssFramework;
  readonly landmarks: PageFacts["landmarks"];
}

const mostContainers = 30;
const mostVariables = 200;

export function analyzeLayout(facts: PageFacts, used: readonly UsedFont[]): Layout {
  const { styles, css, document } = facts;
  const sections = classifySections(facts.sections, document.height);
  const sectionTypes: Record<string, number> = {};
  for (const { type } of sections) sectionTypes[type] = (sectionTypes[type] ?? 0) + 1;
  const containers = styles.containers.toSorted((a, b) => b.width - a.width || b.columns - a.columns);
  const grids = containers.filter(({ display }) => display === "grid");
  const widest = (grids.length > 0 ? grids : containers).reduce((most, { columns }) => Math.max(most, columns), 1);
  return {
    sections,
    sectionTypes,
    grid: {
      usesGrid: grids.length > 0,
      usesFlex: containers.some(({ display }) => display === "flex"),
      columns: widest,
      gap: mostCommon(containers.map(({ gap }) => gap).filter((gap) => gap > 0)) ?? 0,
      containers: containers.slice(0, mostContainers),
    },
    typography: readTypography(facts, used),
    palette: readPalette(styles),
    variables: { list: css.variables.slice(0, mostVariables), functions: css.functions.slice(0, 50) },
    breakpoints: readBreakpoints(css.mediaQueries),
    framework: detectFramework(document),
    landmarks: facts.landmarks,
  };
}

function readTypography({ styles, css, document }: PageFacts, used: readonly UsedFont[]): Typography {
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

function mostCommon(values: readonly number[]): number | undefined {
  const counts = new Map<number, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].toSorted((a, b) => b[1] - a[1])[0]?.[0];
}
