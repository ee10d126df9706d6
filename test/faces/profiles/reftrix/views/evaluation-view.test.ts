import { describe, expect, it } from "vitest";
import { viewEvaluation } from "../../../../../src/faces/profiles/reftrix/views/evaluation-view.ts";
import type { Found } from "../../../../../src/faces/profiles/reftrix/views/extent.ts";

const axis = { score: 70, grade: "C", details: [] } as const;

/** What is told of a page that breaks rules as gravely as these, and keeps so many. */
function levelOf(severities: readonly string[], passes: number): unknown {
  const findings = severities.map((severity, nth) => ({
    ...{ id: `a11y-rule-${nth}`, topic: "accessibility", severity, title: "", evidence: "", help: "", count: 1 },
  }));
  const quality = {
    ...{ score: 70, grade: "C", axes: { craftsmanship: axis, contextuality: axis }, cliches: [], findings },
    accessibility: { violations: severities.length, elements: severities.length, passes, incomplete: 0 },
    recommendations: [],
  } as unknown as Found<"quality">;
  const choice = { includeRecommendations: true, isBrief: true };
  const { axeAccessibility } = viewEvaluation(quality, "2026-11-19T00:00:00.000Z", choice);
  return (axeAccessibility as { wcagLevel: unknown }).wcagLevel;
}

describe("the level that an evaluation tells", () => {
  it.each([
    [[], 20, "AAA"],
    [["moderate", "moderate"], 18, "AA"],
    [["serious"], 19, "AAA"],
    [["serious", "minor", "minor"], 17, "A"],
    [["critical"], 99, "A"],
    [["minor"], 3, "A"],
    // The grave one is not among the few that are told.
    [["minor", "minor", "minor", "minor", "minor", "critical"], 99, "A"],
  ])("with violations %j beside %i rules that hold is %s", (severities, passes, level) => {
    expect(levelOf(severities, passes)).toBe(level);
  });
});
