import { stripVTControlCharacters } from "node:util";
import type { PageAnalysis } from "../../../kinds/page/contract.ts";
import type { Comparison } from "../../../operations/compare-analyses.ts";
import { performanceLines } from "./performance-text.ts";
import type { Style } from "./style.ts";
import { escapeControls } from "../../../text/controls.ts";

const maxFindings = 8;
const barWidth = 20;

/** An analysis for a terminal: grade, scores, and what to mend first. */
export function pageText(analysis: PageAnalysis, style: Style): string {
  const { page, finalUrl, quality, layout, motion, responsive, performance, phases, method, methodReason } = analysis;
  const failed = phases.filter(({ state }) => state === "failed" || state === "timed_out");
  return [
    "",
    `${style.bold(clean(page.title) || finalUrl)}  ${style.dim(finalUrl)}`,
    ...(method === "static" ? [style.yellow(`Static analysis only. ${clean(methodReason ?? "")}`)] : []),
    ...failed.map(({ name, reason }) => style.yellow(`${name} failed: ${clean(reason ?? "")}`)),
    ...(quality === undefined ? [] : scoreLines(quality, performance === undefined, style)),
    ...(quality === undefined ? [] : findingLines(quality, style)),
    ...(responsive?.problems ?? []).map(
      ({ viewport, message }) => `  ${style.yellow("!")} ${viewport}: ${clean(message)}`,
    ),
    ...(motion?.warnings ?? [])
      .filter(({ severity }) => severity === "warning")
      .map(({ message }) => `  ${style.yellow("!")} ${clean(message)}`),
    ...(performance === undefined ? [] : performanceLines(performance, style, clean)),
    ...(layout === undefined ? [] : layoutLines(layout, style)),
  ].join("\n");
}

function scoreLines(
  { grade, score, axes, vitals }: NonNullable<PageAnalysis["quality"]>,
  hasVitals: boolean,
  style: Style,
): string[] {
  const paint = (value: number): ((text: string) => string) =>
    value >= 80 ? style.green : value >= 60 ? style.yellow : style.red;
  const line = (name: string, value: number): string => {
    const filled = Math.round((value / 100) * barWidth);
    return `  ${name.padEnd(14)} ${paint(value)("█".repeat(filled))}${style.dim("░".repeat(barWidth - filled))} ${String(value).padStart(3)}`;
  };
  return [
    "",
    `  ${style.bold(paint(score)(`grade ${grade}`))}`,
    line("overall", score),
    ...Object.entries(axes).map(([name, axis]) => line(name, axis.score)),
    ...(vitals === null || !hasVitals
      ? []
      : [
          style.dim(
            `  largest paint ${vitals.largestPaintMs} ms · layout shift ${vitals.layoutShift} · blocking ${vitals.blockingMs} ms`,
          ),
        ]),
    "",
  ];
}

function findingLines({ findings }: NonNullable<PageAnalysis["quality"]>, style: Style): string[] {
  if (findings.length === 0) return [`  ${style.green("✓")} nothing wrong was found`];
  const marks: Readonly<Record<string, string>> = {
    critical: style.red("✗"),
    serious: style.red("✗"),
    moderate: style.yellow("!"),
  };
  const shown = findings
    .slice(0, maxFindings)
    .flatMap(({ severity, title, evidence, count, selectors }) => [
      `  ${marks[severity] ?? style.dim("·")} ${clean(title)}${count > 1 ? ` × ${count}` : ""}`,
      style.dim(`    ${clean(evidence).slice(0, 110)}${selectors[0] === undefined ? "" : `  ${clean(selectors[0])}`}`),
    ]);
  const left = findings.length - maxFindings;
  return [...shown, ...(left > 0 ? [style.dim(`  and ${left} more`)] : [])];
}

function layoutLines(
  { sections, framework, palette, typography }: NonNullable<PageAnalysis["layout"]>,
  style: Style,
): string[] {
  const families = typography.families.slice(0, 3).map(({ family }) => clean(family));
  const colors = palette.colors.slice(0, 6).map(({ color }) => color);
  return [
    "",
    `  ${style.dim("sections")} ${sections.map(({ type }) => type).join(" · ")}`,
    `  ${style.dim("fonts")} ${families.join(", ")}  ${style.dim("colours")} ${colors.join(" ")}  ${style.dim("css")} ${framework.framework}`,
  ];
}

export function comparisonText({ scores, findings, sections, before }: Comparison, style: Style): string {
  const changed = scores.filter((score) => score.before !== score.after);
  const lines = [
    ...changed.map(({ name, before: from, after }) => `  ${name.padEnd(14)} ${from} → ${after}`),
    ...findings.went.map(({ title }) => `  ${style.green("- mended")} ${clean(title)}`),
    ...findings.came.map(({ title }) => `  ${style.red("+ new")} ${clean(title)}`),
    ...findings.changed.map(({ title, before: from, after }) => `  ~ ${clean(title)}: ${from} → ${after}`),
    ...sections.went.map((name) => `  - section ${clean(name)}`),
    ...sections.came.map((name) => `  + section ${clean(name)}`),
  ];
  const head = style.bold(`Since ${before.replace("T", " ").slice(0, 16)}`);
  return ["", head, ...(lines.length === 0 ? ["  nothing changed"] : lines)].join("\n");
}

/** Pages write these texts; a terminal must not obey them. */
function clean(text: string): string {
  return escapeControls(stripVTControlCharacters(text).replaceAll(/\s+/g, " "));
}
