import type { Performance, PerformanceFinding, Rating, Unused } from "../performance/performance.ts";
import type { Place } from "../places.ts";
import { html, type Markup, type Value } from "./html.ts";
import { barChart, type Bar } from "./plots.ts";
import { cut, kilobytes, showCrop, table, type Picture } from "./report-parts.ts";

const tones = { good: "good", needs_improvement: "fair", poor: "poor" } as const;
/** Of the vitals, where a bar is full: what is poor begins there. */
const full = { firstByte: 1_800, firstPaint: 3_000, largestPaint: 4_000, blocking: 600, layoutShift: 0.25 };

export function performancePart(performance: Performance, picture: Picture): Markup {
  const { vitals, transfer, findings, notes } = performance;
  const types = Object.entries(transfer.byType).toSorted((a, b) => b[1].bytes - a[1].bytes);
  return html`<section class="card">
    <h2>How it loads</h2>
    <p class="soft">${describeConditions(performance)}</p>
    ${barChart(vitalBars(vitals), 1)} ${elementsPart(vitals, picture)}
    <h3>${kilobytes(transfer.bytes)}, requests: ${transfer.requests}</h3>
    ${barChart(types.slice(0, 8).map(([label, { bytes, requests }]) => ({ label, value: bytes, text: `${kilobytes(bytes)} (${requests})` })))}
    <h3>What to save (${findings.length})</h3>
    ${findings.length === 0 ? html`<p class="ok">Nothing wrong was found.</p>` : findingTable(findings, picture)}
    ${unusedPart("Rules that match nothing", performance.unusedCss)}
    ${unusedPart("Scripts that were not run", performance.unusedScript)} ${thirdPart(performance)}
    ${notes.map((note) => html`<p class="soft">${note}</p>`)}
  </section>`;
}

function describeConditions({ conditions, tree }: Performance): string {
  const { preset, viewport, scale, latencyMs, downloadKbps, cpuSlowdown } = conditions;
  const window = `${viewport.width} × ${viewport.height}${scale === 1 ? "" : ` at ${scale}`}`;
  const speed =
    downloadKbps === null
      ? "as fast as this machine and its network"
      : `${(downloadKbps / 1_024).toFixed(1)} Mbps, ${latencyMs} ms more for each request, processor ${cpuSlowdown === 1 ? "as it is" : `${cpuSlowdown} times slower`}`;
  return `Measured ${preset === "none" ? "without a preset" : `as ${preset}`}: window ${window}, ${speed}. ${tree.elements} elements, ${tree.depth} deep.`;
}

function vitalBars({
  firstByte,
  firstPaint,
  largestPaint,
  blocking,
  layoutShift,
  loadedMs,
}: Performance["vitals"]): Bar[] {
  const timed = (label: string, ms: number, rating: Rating, most: number): Bar => ({
    label,
    value: ms / most,
    text: ms >= 1_000 ? `${(ms / 1_000).toFixed(2)} s` : `${ms} ms`,
    ...(rating === null ? {} : { tone: tones[rating] }),
  });
  return [
    timed("First byte", firstByte.ms, firstByte.rating, full.firstByte),
    timed("First paint", firstPaint.ms, firstPaint.rating, full.firstPaint),
    timed("Largest paint", largestPaint.ms, largestPaint.rating, full.largestPaint),
    timed("Blocking", blocking.ms, blocking.rating, full.blocking),
    {
      label: "Layout shift",
      value: layoutShift.score / full.layoutShift,
      text: layoutShift.score.toFixed(3),
      ...(layoutShift.rating === null ? {} : { tone: tones[layoutShift.rating] }),
    },
    timed("Loaded", loadedMs, null, Math.max(1, loadedMs, full.largestPaint)),
  ];
}

function elementsPart({ largestPaint, layoutShift }: Performance["vitals"], picture: Picture): Markup[] {
  const shifts = layoutShift.shifts.filter(({ element }) => element !== null).slice(0, 3);
  return [
    ...(largestPaint.element === null ? [] : [html`<p>Largest: ${showPlace(largestPaint.element, picture)}</p>`]),
    ...shifts.map(
      ({ value, atMs, element }) =>
        html`<p>Moved by ${value.toFixed(3)} after ${atMs} ms: ${element !== null && showPlace(element, picture)}</p>`,
    ),
  ];
}

function showPlace(place: Place, picture: Picture): Markup {
  return html`<code>${place.selector}</code>${showCrop(place, picture)}`;
}

function findingTable(findings: readonly PerformanceFinding[], picture: Picture): Markup {
  const rows = findings.map((item): Value[] => [
    html`<span class="tag ${item.severity}">${item.severity}</span>`,
    html`${item.title}${item.count > 1 && html` <span class="soft">× ${item.count}</span>`}`,
    html`<div>${cut(item.evidence, 300)}</div>
      <div class="soft">${item.advice}</div>
      ${item.urls.slice(0, 3).map((url) => html`<code>${cut(url, 120)}</code> `)}
      ${item.places.slice(0, 3).map((place) => html`<div>${showPlace(place, picture)}</div>`)}`,
    item.savedBytes > 0 && html`${item.isEstimate && "about "}${kilobytes(item.savedBytes)}`,
  ]);
  return table(["Severity", "What is wrong", "Evidence and advice", "Saves"], rows);
}

function unusedPart(title: string, unused: Unused): Markup | undefined {
  const files = (unused?.files ?? []).filter(({ unusedBytes }) => unusedBytes > 0).slice(0, 5);
  if (unused === null || files.length === 0) return undefined;
  const rows = files.map(({ url, isInline, bytes, unusedBytes }): Value[] => [
    html`<code>${isInline ? "in the page" : cut(url, 120)}</code>`,
    kilobytes(unusedBytes),
    `${Math.round((100 * unusedBytes) / Math.max(1, bytes))} % of ${kilobytes(bytes)}`,
  ]);
  return html`<h3>${title}: ${kilobytes(unused.unusedBytes)}</h3>
    ${table(["File", "Unused", "Share"], rows)}`;
}

function thirdPart({ thirdParties }: Performance): Markup | undefined {
  if (thirdParties.length === 0) return undefined;
  const bars = thirdParties
    .slice(0, 8)
    .map(({ domain, bytes, requests }) => ({ label: domain, value: bytes, text: `${kilobytes(bytes)} (${requests})` }));
  return html`<h3>From other sites</h3>
    ${barChart(bars)}`;
}
