import type { PageFacts } from "../facts.ts";
import type { PageInput } from "../contract.ts";
import type { Measurements } from "../measurements.ts";
import { gradeOf, rateContextuality } from "./axes.ts";
import type { AxeResult } from "./axe.ts";
import { linkFindings } from "./check-links.ts";
import { findCliches } from "./cliches.ts";
import { rateCraftsmanship } from "./craftsmanship.ts";
import { bySeverity } from "./findings.ts";
import { checkLoading } from "./load-checks.ts";
import { checkPage, checkWithoutAxe } from "./page-checks.ts";
import { axisNames, type Axis, type AxisName, type LinkCheck, type Quality } from "./quality.ts";
import { recommend } from "./recommend.ts";

export interface QualityParts {
  readonly axe: AxeResult | undefined;
  readonly measured: Measurements | undefined;
  readonly links: LinkCheck | undefined;
}

export function analyzeQuality(facts: PageFacts, input: PageInput, { axe, measured, links }: QualityParts): Quality {
  const findings = [
    ...checkPage(facts),
    ...(axe?.findings ?? checkWithoutAxe(facts)),
    ...(measured === undefined ? [] : checkLoading(measured)),
    ...(links === undefined ? [] : linkFindings(links)),
  ].toSorted(bySeverity);
  const axes: Record<AxisName, Axis> = {
    craftsmanship: rateCraftsmanship(facts, findings),
    contextuality: rateContextuality(facts, input),
  };
  const total = axisNames.reduce((sum, name) => sum + input.weights[name], 0);
  const score = Math.round(axisNames.reduce((sum, name) => sum + axes[name].score * input.weights[name], 0) / total);
  return {
    score,
    grade: gradeOf(score),
    axes,
    cliches: findCliches(facts),
    findings,
    recommendations: recommend(findings, axes, input.weights),
    accessibility: axe?.counts ?? null,
    vitals: measured === undefined ? null : summariseVitals(measured),
    weight: measured === undefined ? null : weigh(measured),
    links: links ?? null,
  };
}

function summariseVitals({ vitals }: Measurements): Quality["vitals"] {
  const { round } = Math;
  return {
    largestPaintMs: round(vitals.largestPaintMs),
    largestPaintElement: vitals.largestPaintElement,
    firstPaintMs: round(vitals.firstPaintMs),
    layoutShift: Math.round(vitals.layoutShift * 1_000) / 1_000,
    longTasks: vitals.longTasks,
    blockingMs: round(vitals.blockingMs),
    responseMs: round(vitals.responseMs),
    interactiveMs: round(vitals.interactiveMs),
    loadedMs: round(vitals.loadedMs),
  };
}

function weigh({ requests }: Measurements): Quality["weight"] {
  const byType: Record<string, { bytes: number; requests: number }> = {};
  for (const { type, bytes } of requests) {
    const sum = (byType[type] ??= { bytes: 0, requests: 0 });
    sum.bytes += bytes;
    sum.requests += 1;
  }
  return { bytes: requests.reduce((sum, { bytes }) => sum + bytes, 0), requests: requests.length, byType };
}
