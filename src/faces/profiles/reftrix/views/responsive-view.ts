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

interface Checks {
  readonly touchTargets: boolean;
  readonly readability: boolean;
  readonly overflow: boolean;
  readonly images: boolean;
}

/** How well a page serves each window, from what was measured. What is not to be checked counts as good, as in the original. */
export function rateResponsive({ viewports }: Responsive, checks: Checks, evaluationTimeMs: number): View {
  const summaries = viewports.map((viewport) => ({
    viewport: viewport.name,
    touchTargetScore: checks.touchTargets ? shareOf(viewport.smallTargets.of, viewport.smallTargets.count) : 100,
    readabilityScore: checks.readability ? rateText(viewport) : 100,
    overflowOk: !checks.overflow || viewport.overflow === null,
    responsiveImageScore: checks.images ? rateImages(viewport) : 100,
  }));
  const scores = summaries.map(
    ({ touchTargetScore, readabilityScore, overflowOk, responsiveImageScore }) =>
      0.3 * touchTargetScore + 0.3 * readabilityScore + (overflowOk ? 20 : 0) + 0.2 * responsiveImageScore,
  );
  const sum = scores.reduce((all, score) => all + score, 0);
  const overallScore = scores.length === 0 ? 100 : Math.round(sum / scores.length);
  return { overallScore, evaluationTimeMs, viewportSummaries: summaries };
}

/** A third each for letters of 16 px, lines of 80 characters and lines of one and a half times the letters' size. */
function rateText({ smallestText, runningText }: Responsive["viewports"][number]): number {
  const isLarge = smallestText === 0 || smallestText >= 16;
  const { characters, height } = runningText ?? { characters: 0, height: 1.5 };
  return (isLarge ? 33 : 0) + (characters <= 80 ? 33 : 0) + (height >= 1.5 ? 34 : 0);
}

function rateImages({ images = { count: 0, adaptive: 0 } }: Responsive["viewports"][number]): number {
  return shareOf(images.count, images.count - images.adaptive);
}

function shareOf(count: number, bad: number): number {
  return count === 0 ? 100 : Math.round((100 * (count - bad)) / count);
}
