import { cut, type Extent, type Found, type View } from "./extent.ts";

type Responsive = Found<"responsive">;

/** Which differences a call wants. */
export interface DifferenceChoice {
  readonly detect_navigation: boolean;
  readonly detect_visibility: boolean;
  readonly detect_layout: boolean;
}

export function viewResponsive(
  responsive: Responsive,
  choice: DifferenceChoice,
  analysisTimeMs: number,
  extent: Extent,
): View {
  const isWanted: Readonly<Record<string, boolean>> = {
    navigation: choice.detect_navigation,
    visibility: choice.detect_visibility,
    layout: choice.detect_layout,
  };
  const differences = responsive.differences.filter(({ category }) => isWanted[category] !== false);
  return {
    viewportsAnalyzed: responsive.viewports.map(({ name }) => name),
    differences: cut(differences, 10, extent).map(({ category, element, description }) => ({
      category,
      element,
      description,
    })),
    breakpoints: cut(responsive.breakpoints, 10, extent).map((width) => `${width}px`),
    analysisTimeMs,
  };
}

export function viewSizes({ viewports }: Responsive): View[] {
  return viewports.map(({ name, width, height }) => ({ name, width, height }));
}

/** How well a page serves each window, from what was measured: room to tap, and nothing that sticks out. */
export function rateResponsive(
  { viewports }: Responsive,
  checks: { readonly touchTargets: boolean; readonly overflow: boolean },
  evaluationTimeMs: number,
): View {
  const summaries = viewports.map(({ name, smallTargets: { count, of }, overflow }) => ({
    viewport: name,
    ...(checks.touchTargets ? { touchTargetScore: of === 0 ? 100 : Math.round((100 * (of - count)) / of) } : {}),
    ...(checks.overflow ? { overflowOk: overflow === null } : {}),
  }));
  const scores = summaries.flatMap(({ touchTargetScore, overflowOk }) => [
    ...(touchTargetScore === undefined ? [] : [touchTargetScore]),
    ...(overflowOk === undefined ? [] : [overflowOk ? 100 : 0]),
  ]);
  const overallScore =
    scores.length === 0 ? 100 : Math.round(scores.reduce((sum, score) => sum + score, 0) / scores.length);
  return { overallScore, evaluationTimeMs, viewportSummaries: summaries };
}
