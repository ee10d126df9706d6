import type { LoadFacts } from "./load-facts.ts";
import { findFileProblems } from "./file-problems.ts";
import { findImageProblems } from "./image-problems.ts";
import type { Judged, Problem } from "./problem.ts";
import { findRequestProblems } from "./request-problems.ts";

const severities = { serious: 0, moderate: 1, minor: 2 };

/** What is wrong, the worst first. Bounds are wide enough that a page without faults has none. */
export function findProblems(judged: Judged, facts: LoadFacts): Problem[] {
  return [
    ...findFileProblems(judged, facts),
    ...findImageProblems(judged.images, facts),
    ...findRequestProblems(judged, facts),
  ]
    .filter((each) => each !== false)
    .toSorted((a, b) => severities[a.severity] - severities[b.severity] || b.savedBytes - a.savedBytes);
}
