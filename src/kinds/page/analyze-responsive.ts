import type { ElementAtSize, ViewportFacts } from "./in-page/collect-viewport.ts";
import type { Difference, Responsive, ViewportResult } from "./responsive.ts";

export interface SeenViewport {
  readonly name: string;
  readonly width: number;
  readonly height: number;
  readonly facts: ViewportFacts;
  readonly screenshot?: string;
}

const maxDifferences = 100;

/** How the page changes from the widest window to the narrower ones. */
export function analyzeResponsive(seen: readonly SeenViewport[], breakpoints: readonly number[]): Responsive {
  const ordered = seen.toSorted((a, b) => b.width - a.width);
  const differences = ordered.slice(1).flatMap((narrow, index) => {
    const wide = ordered[index];
    return wide === undefined ? [] : compare(wide, narrow);
  });
  return {
    viewports: seen.map(toResult),
    differences: differences.slice(0, maxDifferences),
    breakpoints,
    problems: seen.flatMap(findProblems),
  };
}

function compare(wide: SeenViewport, narrow: SeenViewport): Difference[] {
  const [from, to] = [wide.name, narrow.name];
  const found: Difference[] = [];
  const say = (category: Difference["category"], element: string, description: string): void =>
    void found.push({ category, element, description, from, to });
  const [before, after] = [wide.facts.navigation, narrow.facts.navigation];
  if (before.style !== after.style)
    say(
      "navigation",
      "navigation",
      `${before.style} with ${before.visibleLinks} links becomes ${after.style} with ${after.visibleLinks}`,
    );
  const hidden: string[] = [];
  for (const [path, one] of Object.entries(wide.facts.elements)) {
    const other = narrow.facts.elements[path];
    if (other === undefined) continue;
    // What lies in a part that is hidden is hidden with it, and not worth a line of its own.
    if (one.isVisible !== other.isVisible && !hidden.some((above) => path.startsWith(`${above}/`))) {
      hidden.push(path);
      say(
        "visibility",
        one.label,
        one.isVisible ? `is hidden below ${wide.width} px` : `appears at ${narrow.width} px`,
      );
    }
    if (one.isVisible && other.isVisible) compareElement(one, other, say);
  }
  if (wide.facts.bodySize !== narrow.facts.bodySize)
    say("typography", "text", `${wide.facts.bodySize} px becomes ${narrow.facts.bodySize} px`);
  return found;
}

function compareElement(
  one: ElementAtSize,
  other: ElementAtSize,
  say: (category: Difference["category"], element: string, description: string) => void,
): void {
  if (one.columns !== other.columns && one.columns > 0 && other.columns > 0)
    say("layout", one.label, `${one.columns} columns become ${other.columns}`);
  if (one.direction !== other.direction && one.direction !== "" && other.direction !== "")
    say("layout", one.label, `${one.direction} becomes ${other.direction}`);
  if (one.size !== other.size && one.size > 0 && other.size > 0)
    say("typography", one.label, `${round(one.size)} px becomes ${round(other.size)} px`);
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function overflowOf({ pageWidth, width }: ViewportFacts): number {
  return pageWidth > width + 1 ? pageWidth - width : 0;
}

function toResult({ name, width, height, facts, screenshot }: SeenViewport): ViewportResult {
  const by = overflowOf(facts);
  return {
    name,
    width,
    height,
    pageHeight: facts.pageHeight,
    navigation: facts.navigation.style,
    columns: Math.max(1, ...Object.values(facts.elements).map(({ columns }) => columns)),
    overflow: by === 0 ? null : { by, selectors: facts.overflowing.map(({ selector }) => selector) },
    smallTargets: { count: facts.smallTargets.length, of: facts.targets, examples: facts.smallTargets.slice(0, 10) },
    bodySize: facts.bodySize,
    headingSize: facts.headingSize,
    smallestText: facts.smallestText,
    runningText: facts.runningText ?? undefined,
    images: facts.images,
    screenshot,
  };
}

function findProblems({ name, width, facts }: SeenViewport): Responsive["problems"][number][] {
  const by = overflowOf(facts);
  const isTouch = width < 1_025;
  const problems: (Responsive["problems"][number] | false)[] = [
    by > 0 && {
      viewport: name,
      code: "horizontal_overflow",
      message: `The page is ${by} px wider than the window.`,
      selectors: facts.overflowing.slice(0, 5).map(({ selector }) => selector),
    },
    isTouch &&
      facts.smallTargets.length > 0 && {
        viewport: name,
        code: "small_targets",
        message: `${facts.smallTargets.length} of ${facts.targets} things to tap are smaller than 24 × 24 px.`,
        selectors: facts.smallTargets.slice(0, 5).map(({ selector }) => selector),
      },
    isTouch &&
      facts.smallestText > 0 &&
      facts.smallestText < 12 && {
        viewport: name,
        code: "small_text",
        message: `Some text is only ${round(facts.smallestText)} px high.`,
        selectors: [],
      },
  ];
  return problems.filter((problem) => problem !== false);
}
