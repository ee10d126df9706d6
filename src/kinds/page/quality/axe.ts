import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { LivePage } from "../live-page.ts";
import type { Finding, Severity } from "./quality.ts";

interface AxeNode {
  /** One step per frame or shadow root. */
  readonly target: readonly (string | readonly string[])[];
  readonly summary: string;
}

interface AxeViolation {
  readonly id: string;
  readonly impact: Severity | null;
  readonly help: string;
  readonly helpUrl: string;
  readonly tags: readonly string[];
  readonly nodes: readonly AxeNode[];
  readonly count: number;
}

/** Rules that this analysis checks itself, or that take long and say little about one page. */
const leftOut = [
  "document-title",
  "region",
  "heading-order",
  "page-has-heading-one",
  "landmark-one-main",
  "scrollable-region-focusable",
];

/** As text, because it runs in the page: importing it takes a quarter of a second for nothing. */
export function readAxe(): Promise<string> {
  return readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
}

/** Accessibility, checked by axe-core in the page. */
export async function runAxe(
  evaluate: LivePage["evaluate"],
  source: string,
): Promise<{ findings: Finding[]; passes: number; incomplete: number }> {
  const rules = Object.fromEntries(leftOut.map((name) => [name, { enabled: false }]));
  const script = `(async () => {
${source}
;const found = await axe.run(document, { resultTypes: ["violations"], iframes: false, rules: ${JSON.stringify(rules)} });
return {
  passes: found.passes.length,
  incomplete: found.incomplete.length,
  violations: found.violations.slice(0, 60).map((violation) => ({
    id: violation.id, impact: violation.impact, help: violation.help, helpUrl: violation.helpUrl, tags: violation.tags, count: violation.nodes.length,
    nodes: violation.nodes.slice(0, 10).map((node) => ({ target: node.target, summary: (node.failureSummary ?? "").slice(0, 400) })),
  })),
};
})()`;
  const result: { passes: number; incomplete: number; violations: readonly AxeViolation[] } = await evaluate(script);
  return { passes: result.passes, incomplete: result.incomplete, findings: result.violations.map(toFinding) };
}

function toFinding({ id, impact, help, helpUrl, nodes, count }: AxeViolation): Finding {
  const [first] = nodes;
  return {
    id: `a11y-${id}`,
    topic: "accessibility",
    severity: impact ?? "moderate",
    title: help,
    evidence: readSummary(first?.summary ?? ""),
    advice: `See ${helpUrl}`,
    count,
    selectors: nodes.map(({ target }) => [target.at(-1)].flat().join(" ")),
    help: helpUrl,
  };
}

/** One line of several, without the headings above them. */
function readSummary(summary: string): string {
  const lines = summary.split("\n").map((line) => line.trim());
  return lines.filter((line) => line !== "" && !/^Fix (any|all) of the following:$/.test(line)).join("; ");
}
