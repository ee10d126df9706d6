import type { Wanted } from "../crop-elements.ts";
import type { Vitals } from "../in-page/watch-page.ts";
import type { RequestFacts } from "../measurements.ts";
import type { Place } from "../places.ts";
import { findProblems } from "./find-problems.ts";
import { judgeImages } from "./judge-images.ts";
import { judgeCoverage, judgeRequests } from "./judge-requests.ts";
import type { LoadFacts } from "./load-facts.ts";
import type { Performance } from "./performance.ts";
import type { Problem } from "./problem.ts";
import { rateTime, rateVital } from "./rate-vitals.ts";

const maxShifts = 10;
const maxTasks = 5;
/** Of each finding so many pictures. */
const cropsEach = 2;

/** Everything but where its elements are. */
export interface JudgedLoad {
  readonly facts: LoadFacts;
  readonly judged: Omit<Performance, "vitals" | "findings">;
  readonly problems: readonly Problem[];
}

export function judgeLoad(facts: LoadFacts): JudgedLoad {
  const judged = {
    conditions: facts.conditions,
    ...judgeRequests(facts),
    unusedCss: judgeCoverage(facts.css, facts),
    unusedScript: judgeCoverage(facts.script, facts),
    images: judgeImages(facts),
    tree: facts.tree,
    notes: facts.notes,
  };
  return { facts, judged, problems: findProblems(judged, facts) };
}

/** The elements that are told of, those whose picture says most first. */
export function wantedElements({ facts: { vitals }, problems }: JudgedLoad): Wanted[] {
  const told = [
    { selector: vitals.largestPaintElement, crop: "crop-largest-paint" },
    ...vitals.shifts.slice(0, maxShifts).map(({ selector }, index) => ({
      selector,
      ...(index < cropsEach ? { crop: `crop-layout-shift-${index + 1}` } : {}),
    })),
    ...problems.flatMap(({ id, selectors }) =>
      selectors.map((selector, index) => ({
        selector,
        ...(index < cropsEach ? { crop: `crop-${id}-${index + 1}` } : {}),
      })),
    ),
  ];
  return told.filter(({ selector }) => selector !== "");
}

export function describePerformance(
  { facts, judged, problems }: JudgedLoad,
  places: ReadonlyMap<string, Place>,
): Performance {
  return {
    ...judged,
    vitals: describeVitals(facts, places),
    findings: problems.map(({ selectors, ...problem }) => ({
      ...problem,
      places: selectors.flatMap((selector) => places.get(selector) ?? []),
    })),
  };
}

function describeVitals({ vitals, requests }: LoadFacts, places: ReadonlyMap<string, Place>): Performance["vitals"] {
  const { firstPaintMs, largestPaintMs, largestPaintElement, layoutShift, shifts, longTasks, tasks } = vitals;
  const blockingMs = Math.round(blockedAfter(firstPaintMs, vitals));
  const shift = Math.round(layoutShift * 1_000) / 1_000;
  const wasPainted = firstPaintMs > 0;
  return {
    firstByte: rateTime("firstByte", firstByteOf(requests.find(({ isMain }) => isMain)) ?? vitals.responseMs),
    firstPaint: rateTime("firstPaint", firstPaintMs),
    largestPaint: { ...rateTime("largestPaint", largestPaintMs), element: places.get(largestPaintElement) ?? null },
    layoutShift: {
      score: shift,
      rating: wasPainted ? rateVital("layoutShift", shift) : null,
      shifts: shifts.slice(0, maxShifts).map(({ value, atMs, selector }) => ({
        value: Math.round(value * 1_000) / 1_000,
        atMs: Math.round(atMs),
        element: places.get(selector) ?? null,
      })),
    },
    blocking: {
      ms: blockingMs,
      rating: wasPainted ? rateVital("blocking", blockingMs) : null,
      longTasks,
      longest: tasks
        .toSorted((a, b) => b.durationMs - a.durationMs)
        .slice(0, maxTasks)
        .map(({ startMs, durationMs }) => ({ startMs: Math.round(startMs), durationMs: Math.round(durationMs) })),
    },
    loadedMs: Math.round(vitals.loadedMs),
  };
}

/** From the first request to the answer's head, redirects and the delay of the conditions included, which the page's own clock leaves out. */
function firstByteOf(main: RequestFacts | undefined): number | undefined {
  return main === undefined || main.respondedMs === 0 ? undefined : main.respondedMs - main.startMs;
}

/** By how much tasks were longer than 50 ms, from the first paint on. */
function blockedAfter(firstPaintMs: number, { tasks }: Vitals): number {
  return tasks.reduce((sum, { startMs, durationMs }) => {
    const own = startMs + durationMs - Math.max(startMs, firstPaintMs);
    return sum + Math.max(0, own - 50);
  }, 0);
}
