import { expect, test } from "vitest";
import type { PageAnalysis } from "../../src/kinds/page/contract.ts";
import { compareAnalyses } from "../../src/operations/compare-analyses.ts";

type Part<Name extends "layout" | "motion" | "quality" | "performance"> = NonNullable<PageAnalysis[Name]>;
type Comparable = Parameters<typeof compareAnalyses>[0];
type Finding = Part<"quality">["findings"][number];
type Section = Part<"layout">["sections"][number];

const finding = (id: string, count = 1): Finding => ({
  id,
  topic: "practice",
  title: `title of ${id}`,
  severity: "serious",
  evidence: "",
  advice: "",
  count,
  selectors: [],
  boxes: [],
});

const section = (type: Section["type"], position: number): Section => ({
  id: `section-${position + 1}`,
  type,
  position,
  heading: "",
  confidence: 1,
  reasons: [],
  selector: "",
  left: 0,
  top: 0,
  width: 100,
  height: 0,
  counts: { headings: 0, paragraphs: 0, links: 0, images: 0, buttons: 0 },
  colors: { background: "", text: "", gradient: false, image: false },
});

const layout: Part<"layout"> = {
  sections: [],
  sectionTypes: {},
  grid: { usesGrid: false, usesFlex: false, columns: 1, gap: 0, containers: [] },
  typography: { families: [], sizes: [], body: null, headings: [], weights: [], fontFaces: [], used: [] },
  palette: { colors: [], theme: "light", gradients: [], backgrounds: {} },
  variables: { list: [], functions: [] },
  breakpoints: [],
  framework: { framework: "vanilla", confidence: 1, evidence: [], secondary: [] },
  landmarks: [],
};

const motion: Part<"motion"> = {
  patterns: [],
  total: 2,
  unused: { patterns: 0, keyframes: 0 },
  categories: {},
  libraries: [],
  canvases: [],
  scrollEffects: [],
  webAnimations: 0,
  hasReducedMotion: true,
  usesScript: { frameRequests: 0, intersectionObservers: 0, scrollListeners: 0 },
  warnings: [],
};

function analysis(score: number, findings: Finding[], sections: Section["type"][]): Comparable {
  const axis = { score, grade: "B" as const, details: [] };
  return {
    url: "https://example.org/",
    analyzedAt: "2026-11-01T00:00:00.000Z",
    layout: { ...layout, sections: sections.map(section) },
    motion,
    quality: {
      score,
      grade: "B",
      axes: { craftsmanship: axis, contextuality: axis },
      cliches: [],
      findings,
      recommendations: [],
      accessibility: null,
      vitals: null,
      weight: { bytes: 10, requests: 1, byType: {} },
      links: null,
    },
  };
}

const performanceOf = (preset: "none" | "mobile", ms: number, ids: string[]): Part<"performance"> => {
  const time = { ms, rating: null };
  return {
    conditions: {
      preset,
      viewport: { width: 412, height: 823 },
      scale: 1,
      latencyMs: 0,
      downloadKbps: null,
      uploadKbps: null,
      cpuSlowdown: 1,
      isOwnLoad: false,
    },
    vitals: {
      firstByte: time,
      firstPaint: time,
      largestPaint: { ...time, element: null },
      layoutShift: { score: 0, rating: null, shifts: [] },
      blocking: { ...time, longTasks: 0, longest: [] },
      loadedMs: ms,
    },
    transfer: { bytes: 1, bodyBytes: 1, requests: 1, byType: {}, byProtocol: {} },
    unusedCss: null,
    unusedScript: null,
    uncompressed: [],
    shortCached: [],
    images: [],
    blocking: [],
    tree: { elements: 1, depth: 1, deepest: "", children: 0, widest: "" },
    thirdParties: [],
    duplicates: [],
    large: [],
    redirects: [],
    findings: ids.map((id) => ({
      ...finding(id),
      severity: "minor",
      savedBytes: 0,
      isEstimate: false,
      urls: [],
      places: [],
    })),
    notes: [],
  };
};

test("a comparison names what came, went, changed and moved", () => {
  const before = analysis(70, [finding("a"), finding("b", 2)], ["hero", "pricing", "footer"]);
  const after = analysis(82, [finding("b", 5), finding("c")], ["hero", "faq", "footer", "pricing"]);
  const compared = compareAnalyses(before, after);
  expect(compared.scores).toEqual([
    { name: "overall", before: 70, after: 82 },
    { name: "craftsmanship", before: 70, after: 82 },
    { name: "contextuality", before: 70, after: 82 },
    { name: "bytes", before: 10, after: 10 },
    { name: "requests", before: 1, after: 1 },
    { name: "movements", before: 2, after: 2 },
  ]);
  expect(compared.findings.came.map(({ id }) => id)).toEqual(["c"]);
  expect(compared.findings.went.map(({ id }) => id)).toEqual(["a"]);
  expect(compared.findings.changed).toMatchObject([{ id: "b", before: 2, after: 5 }]);
  expect(compared.sections).toEqual({ came: ["faq"], went: [], moved: [{ section: "pricing", before: 1, after: 3 }] });
});

test("how a page loads is compared where it was measured under the same preset", () => {
  const measured = (preset: "none" | "mobile", ms: number, ids: string[]): Comparable => ({
    ...analysis(70, [], []),
    performance: performanceOf(preset, ms, ids),
  });
  const before = measured("mobile", 4_200, ["uncompressed", "duplicate"]);
  const compared = compareAnalyses(before, measured("mobile", 2_100, ["duplicate"]));
  expect(compared.scores).toContainEqual({ name: "loading.largestPaintMs", before: 4_200, after: 2_100 });
  expect(compared.findings).toMatchObject({ came: [], went: [{ id: "uncompressed" }], changed: [] });
  const other = compareAnalyses(before, measured("none", 300, []));
  expect(other.scores.filter(({ name }) => name.startsWith("loading"))).toEqual([]);
  expect(other.findings).toEqual({ came: [], went: [], changed: [] });
});

test("where a part was not judged, nothing is said to have come or gone", () => {
  const { quality: _quality, layout: _layout, ...bare } = analysis(70, [], []);
  const compared = compareAnalyses(bare, analysis(70, [finding("a")], ["hero"]));
  expect(compared.findings).toEqual({ came: [], went: [], changed: [] });
  expect(compared.sections).toEqual({ came: [], went: [], moved: [] });
});
