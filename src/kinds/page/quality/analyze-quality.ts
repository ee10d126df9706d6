import type { PageFacts } from "../facts.ts";
import type { PageInput } from "../input.ts";
import type { Measurements } from "../measurements.ts";
import {
  axisNames,
  findCliches,
  gradeOf,
  rateContextuality,
  rateOriginality,
  type Axis,
  type AxisName,
  type Cliche,
  type Grade,
} from "./axes.ts";
import { linkFindings, type LinkCheck } from "./check-links.ts";
import { rateCraftsmanship } from "./craftsmanship.ts";
import { bySeverity, type Finding } from "./findings.ts";
import { checkLoading } from "./load-checks.ts";
import { checkPage } from "./page-checks.ts";
import { recommend, type Recommendation } from "./recommend.ts";

export interface Quality {
  readonly score: number;
  readonly grade: Grade;
  readonly axes: Readonly<Record<AxisName, Axis>>;
  readonly cliches: readonly Cliche[];
  readonly findings: readonly Finding[];
  readonly recommendations: readonly Recommendation[];
  readonly accessibility: { readonly violations: number; readonly passes: number; readonly incomplete: number } | null;
  readonly vitals: VitalsSummary | null;
  readonly weight: Weight | null;
  readonly links: LinkCheck | null;
}

type VitalsSummary = Pick<
  Measurements["vitals"],
  | ("largestPaintMs" | "largestPaintElement" | "firstPaintMs" | "layoutShift" | "longTasks" | "blockingMs")
  | ("responseMs" | "interactiveMs" | "loadedMs")
>;

export interface Weight {
  readonly bytes: number;
  readonly requests: number;
  readonly byType: Readonly<Record<string, { readonly bytes: number; readonly requests: number }>>;
}

export interface QualityParts {
  readonly axe:
    | { readonly findings: readonly Finding[]; readonly passes: number; readonly incomplete: number }
    | undefined;
  readonly measured: Measurements | undefined;
  readonly links: LinkCheck | undefined;
}

export function analyzeQuality(facts: PageFacts, input: PageInput, { axe, measured, links }: QualityParts): Quality {
  const findings = [
    ...checkPage(facts),
    ...(axe?.findings ?? []),
    ...(measured === undefined ? [] : checkLoading(measured)),
    ...(links === undefined ? [] : linkFindings(links)),
  ].toSorted(bySeverity);
  const cliches = findCliches(facts);
  const axes: Record<AxisName, Axis> = {
    originality: rateOriginality(facts, cliches, input.strict),
    craftsmanship: rateCraftsmanship(facts, findings),
    contextuality: rateContextuality(facts, input),
  };
  const total = axisNames.reduce((sum, name) => sum + input.weights[name], 0);
  const score =
    total === 0
      ? 0
      : Math.round(axisNames.reduce((sum, name) => sum + axes[name].score * input.weights[name], 0) / total);
  return {
    score,
    grade: gradeOf(score),
    axes,
    cliches,
    findings,
    recommendations: recommend(findings, axes, input.weights),
    accessibility:
      axe === undefined ? null : { violations: axe.findings.length, passes: axe.passes, incomplete: axe.incomplete },
    vitals: measured === undefined ? null : summariseVitals(measured),
    weight: measured === undefined ? null : weigh(measured),
    links: links ?? null,
  };
}

function summariseVitals({ vitals }: Measurements): VitalsSummary {
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

function weigh({ requests }: Measurements): Weight {
  const byType: Record<string, { bytes: number; requests: number }> = {};
  for (const { type, bytes } of requests) {
    const sum = (byType[type] ??= { bytes: 0, requests: 0 });
    sum.bytes += bytes;
    sum.requests += 1;
  }
  return { bytes: requests.reduce((sum, { bytes }) => sum + bytes, 0), requests: requests.length, byType };
}
