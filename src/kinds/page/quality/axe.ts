import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { Box } from "../facts.ts";
import type { LivePage } from "../live-page.ts";
import type { Finding, Quality, Severity } from "./quality.ts";

interface AxeNode {
  /** One step per shadow root. */
  readonly target: readonly (string | readonly string[])[];
  readonly summary: string;
  readonly box: Box | null;
}

interface AxeViolation {
  readonly id: string;
  readonly impact: Severity | null;
  readonly help: string;
  readonly helpUrl: string;
  readonly nodes: readonly AxeNode[];
  readonly count: number;
}

interface AxeAnswer {
  readonly passes: number;
  readonly incomplete: number;
  readonly violations: readonly AxeViolation[];
}

export interface AxeResult {
  readonly findings: readonly Finding[];
  readonly counts: NonNullable<Quality["accessibility"]>;
}

const maxNodes = 10;

/** As text, because it runs in the page: importing it takes a quarter of a second for nothing. */
export function readAxe(): Promise<string> {
  return readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
}

/** Accessibility, checked by axe-core in the page: all rules that it runs by itself, in the page but not in the frames in it. */
export async function runAxe(evaluate: LivePage["evaluate"], source: string): Promise<AxeResult> {
  const script = `(async () => {
${source}
;const found = await axe.run(document, { resultTypes: ["violations"], iframes: false, elementRef: true });
const boxOf = (element) => {
  const { left, top, width, height } = element?.getBoundingClientRect?.() ?? { width: 0, height: 0 };
  return width * height === 0 ? null : { x: Math.round(left + scrollX), y: Math.round(top + scrollY), width: Math.round(width), height: Math.round(height) };
};
return {
  passes: found.passes.length,
  incomplete: found.incomplete.length,
  violations: found.violations.map((violation) => ({
    id: violation.id, impact: violation.impact, help: violation.help, helpUrl: violation.helpUrl, count: violation.nodes.length,
    nodes: violation.nodes.slice(0, ${maxNodes}).map((node) => ({ target: node.target, summary: (node.failureSummary ?? "").slice(0, 400), box: boxOf(node.element) })),
  })),
};
})()`;
  const { passes, incomplete, violations }: AxeAnswer = await evaluate(script);
  const elements = violations.reduce((sum, { count }) => sum + count, 0);
  return {
    findings: violations.map(toFinding),
    counts: { violations: violations.length, elements, passes, incomplete },
  };
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
    boxes: nodes.map(({ box }) => box),
    help: helpUrl,
  };
}

/** One line of several, without the headings above them. */
function readSummary(summary: string): string {
  const lines = summary.split("\n").map((line) => line.trim());
  return lines.filter((line) => line !== "" && !/^Fix (any|all) of the following:$/.test(line)).join("; ");
}
