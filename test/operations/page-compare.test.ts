import { expect, test } from "vitest";
import { compareAnalyses } from "../../src/operations/compare-analyses.ts";

const finding = (id: string, count = 1): { id: string; title: string; severity: string; count: number } => ({
  id,
  title: `title of ${id}`,
  severity: "serious",
  count,
});

function analysis(
  score: number,
  findings: ReturnType<typeof finding>[],
  sections: string[],
): Parameters<typeof compareAnalyses>[0] {
  return {
    url: "https://example.org/",
    analyzedAt: "2026-11-01T00:00:00.000Z",
    layout: { sections: sections.map((type, position) => ({ type, heading: "", position })) },
    motion: { total: 2 },
    quality: {
      score,
      grade: "B",
      axes: { craftsmanship: { score } },
      findings,
      vitals: null,
      weight: { bytes: 10, requests: 1 },
    },
  };
}

test("a comparison names what came, went, changed and moved", () => {
  const before = analysis(70, [finding("a"), finding("b", 2)], ["hero", "pricing", "footer"]);
  const after = analysis(82, [finding("b", 5), finding("c")], ["hero", "faq", "footer", "pricing"]);
  const compared = compareAnalyses(before, after);
  expect(compared.scores).toContainEqual({ name: "overall", before: 70, after: 82 });
  expect(compared.scores).toContainEqual({ name: "movements", before: 2, after: 2 });
  expect(compared.findings.came.map(({ id }) => id)).toEqual(["c"]);
  expect(compared.findings.went.map(({ id }) => id)).toEqual(["a"]);
  expect(compared.findings.changed).toMatchObject([{ id: "b", before: 2, after: 5 }]);
  expect(compared.sections).toEqual({ came: ["faq"], went: [], moved: [{ section: "pricing", before: 1, after: 3 }] });
});

test("where a part was not judged, nothing is said to have come or gone", () => {
  const { quality: _quality, layout: _layout, ...bare } = analysis(70, [], []);
  const compared = compareAnalyses(bare, analysis(70, [finding("a")], ["hero"]));
  expect(compared.findings).toEqual({ came: [], went: [], changed: [] });
  expect(compared.sections).toEqual({ came: [], went: [], moved: [] });
});
