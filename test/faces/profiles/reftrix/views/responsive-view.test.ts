import { describe, expect, it } from "vitest";
import type { Found } from "../../../../../src/faces/profiles/reftrix/views/extent.ts";
import { rateResponsive } from "../../../../../src/faces/profiles/reftrix/views/responsive-view.ts";

type Viewport = Found<"responsive">["viewports"][number];

const good: Viewport = {
  ...{ name: "mobile", width: 375, height: 667, pageHeight: 2_000, navigation: "hamburger", columns: 1 },
  ...{ overflow: null, smallTargets: { count: 0, of: 4, examples: [] } },
  ...{ bodySize: 16, headingSize: 30, smallestText: 16, runningText: { characters: 45, height: 1.5 } },
  images: { count: 2, adaptive: 2 },
};
const everything = { touchTargets: true, readability: true, overflow: true, images: true };
const rate = (given: Partial<Viewport>, checks = everything): unknown => {
  const viewports = [{ ...good, ...given }];
  return rateResponsive({ viewports, differences: [], breakpoints: [], problems: [] }, checks, 5);
};
const summary = { viewport: "mobile", touchTargetScore: 100, readabilityScore: 100, overflowOk: true };

describe("how well a page serves a window", () => {
  it("is 30 points each for tapping and reading, and 20 each for fitting and for pictures of its size", () => {
    expect(rate({})).toEqual({
      overallScore: 100,
      evaluationTimeMs: 5,
      viewportSummaries: [{ ...summary, responsiveImageScore: 100 }],
    });
    const bad = {
      smallTargets: { count: 3, of: 4, examples: [] },
      smallestText: 11,
      runningText: { characters: 120, height: 1.5 },
      overflow: { by: 40, selectors: [] },
      images: { count: 2, adaptive: 1 },
    };
    expect(rate(bad)).toMatchObject({
      overallScore: 28,
      viewportSummaries: [{ touchTargetScore: 25, readabilityScore: 34, overflowOk: false, responsiveImageScore: 50 }],
    });
  });

  it("is good where nothing was to be checked, or nothing of the kind is there", () => {
    const none = { touchTargets: false, readability: false, overflow: false, images: false };
    expect(rate({ smallestText: 8, overflow: { by: 1, selectors: [] } }, none)).toMatchObject({ overallScore: 100 });
    const { runningText: _text, images: _images, ...older } = good;
    const viewports = [{ ...older, smallestText: 0 }];
    expect(rateResponsive({ viewports, differences: [], breakpoints: [], problems: [] }, everything, 5)).toMatchObject({
      overallScore: 100,
    });
  });
});
