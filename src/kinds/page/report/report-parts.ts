import type { Layout } from "../layout/layout.ts";
import type { Motion } from "../motion/motion.ts";
import type { Quality } from "../quality/quality.ts";
import type { Place } from "../places.ts";
import type { Responsive } from "../responsive.ts";
import { breakable, html, type Markup, type Value } from "./html.ts";
import { barChart, type Bar, pageMap, toneOf } from "./plots.ts";

/** The source of a picture that the report carries with it. */
export type Picture = (name: string) => string | undefined;

/** On a narrow screen cells stand below each other, and each carries the name of its column. */
export function table(columns: readonly string[], rows: readonly (readonly Value[])[]): Markup {
  return html`<div class="wide">
    <table>
      <thead>
        <tr>
          ${columns.map((column) => html`<th>${column}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (cells) =>
            html`<tr>
              ${cells.map((cell, index) => html`<td data-column="${columns[index]}">${typeof cell === "string" ? breakable(cell) : cell}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

export function findingsPart({ findings, recommendations }: Quality, picture: Picture): Markup {
  if (findings.length === 0)
    return html`<section class="card">
      <h2>Findings</h2>
      <p class="ok">Nothing wrong was found.</p>
    </section>`;
  const gains = new Map(recommendations.map(({ id, gain }) => [id, gain]));
  const rows = findings.map((item): Value[] => {
    const gain = gains.get(item.id) ?? 0;
    return [
      html`<span class="tag ${item.severity}">${item.severity}</span>`,
      html`${breakable(item.title)}${item.count > 1 && html` <span class="soft">× ${item.count}</span>`}`,
      html`<div>${breakable(cut(item.evidence, 300))}</div>
        <div class="soft">
          ${item.help === undefined ? item.advice : html`<a href="${item.help}" rel="noreferrer">How to mend it</a>`}
        </div>
        ${item.selectors.slice(0, 3).map((selector) => html`<code>${breakable(selector)}</code> `)}
        ${(item.places ?? []).slice(0, 1).map((place) => showCrop(place, picture))}`,
      gain > 0 && html`<span class="ok">+${gain}</span>`,
    ];
  });
  return html`<section class="card">
    <h2>Findings (${findings.length})</h2>
    ${table(["Severity", "What is wrong", "Evidence and advice", "Gain"], rows)}
  </section>`;
}

/** What an element looks like, where there is a picture of it. */
export function showCrop({ crop, selector }: Place, picture: Picture): Markup {
  const source = crop === undefined ? undefined : picture(crop);
  return html`${source !== undefined && html`<span class="crop"><img src="${source}" alt="The page at ${selector}" /></span>`}`;
}

export function vitalsPart({ vitals, weight }: Quality): Markup | undefined {
  if (vitals === null) return undefined;
  const bars = [
    timed("First byte", vitals.responseMs, 800, 1_800),
    timed("First paint", vitals.firstPaintMs, 1_800, 3_000),
    timed("Largest paint", vitals.largestPaintMs, 2_500, 4_000),
    timed("Blocking", vitals.blockingMs, 200, 600),
    {
      label: "Layout shift",
      value: vitals.layoutShift / 0.25,
      text: vitals.layoutShift.toFixed(3),
      tone: vitals.layoutShift <= 0.1 ? "good" : vitals.layoutShift <= 0.25 ? "fair" : "poor",
    },
  ];
  const types = Object.entries(weight?.byType ?? {}).toSorted((a, b) => b[1].bytes - a[1].bytes);
  return html`<section class="card">
    <h2>Speed and weight</h2>
    ${barChart(bars, 1)}
    <h3>${kilobytes(weight?.bytes ?? 0)}, requests: ${weight?.requests ?? 0}</h3>
    ${barChart(types.slice(0, 8).map(([label, { bytes, requests }]) => ({ label, value: bytes, text: `${kilobytes(bytes)} (${requests})` })))}
  </section>`;
}

function timed(label: string, ms: number, good: number, poor: number): Bar {
  const text = ms >= 1_000 ? `${(ms / 1_000).toFixed(2)} s` : `${ms} ms`;
  return { label, value: ms / poor, text, tone: ms <= good ? "good" : ms <= poor ? "fair" : "poor" };
}

export function axesPart({ axes, cliches }: Quality): Markup {
  const rows = Object.entries(axes).map(([name, axis]): Value[] => [
    name,
    html`<span class="${toneOf(axis.score)}">${axis.score} (${axis.grade})</span>`,
    html`${axis.details.slice(0, 14).map(({ points, text }) => html`<div><span class="${points < 0 ? "serious" : "ok"}">${points > 0 ? "+" : ""}${points}</span> ${breakable(text)}</div>`)}`,
  ]);
  return html`<section class="card">
    <h2>How the score came about</h2>
    ${table(["Axis", "Score", "Gained and lost"], rows)}
    ${cliches.length > 0 && html`<p class="soft">Clichés: ${cliches.map(({ type }) => type.replaceAll("_", " ")).join(", ")}.</p>`}
  </section>`;
}

export function layoutPart({ sections, palette, typography, framework, grid }: Layout, pageHeight: number): Markup {
  const { body, used } = typography;
  const rows = sections
    .slice(0, 30)
    .map(({ type, heading, confidence }): Value[] => [type, cut(heading, 120), `${Math.round(confidence * 100)} %`]);
  const columns = `${grid.usesGrid ? "Grid" : "Flexible boxes"}, columns: ${grid.columns}, gap: ${grid.gap} px.`;
  const fonts = used.map(({ asked, used: drawn }): Value[] => [
    asked,
    drawn
      .map(({ family, glyphs, isDownloaded }) => `${family} (${glyphs} glyphs${isDownloaded ? ", downloaded" : ""})`)
      .join(", "),
  ]);
  return html`<section class="card">
    <h2>Layout</h2>
    ${
      rows.length === 0
        ? html`<p class="soft">No sections were found.</p>`
        : html`<div class="two">
            <div>${pageMap(sections, pageHeight)}</div>
            <div>${table(["Section", "Heading", "Sure"], rows)}</div>
          </div>`
    }
    <p class="soft">
      Framework: ${framework.framework} (${Math.round(framework.confidence * 100)} %).
      ${grid.usesGrid || grid.usesFlex ? columns : "No grid."}
      ${body !== null && `Text: ${body.family}, ${body.size} px.`}
    </p>
    <h3>Colours${palette.theme !== "unknown" && html` (${palette.theme})`}</h3>
    <div class="swatches">
      ${palette.colors.map(
        ({ color, role }) =>
          html`<div class="swatch">
            <svg viewBox="0 0 10 10" preserveAspectRatio="none" aria-hidden="true">
              <rect width="10" height="10" fill="${color}" /></svg
            >${color}<br /><span class="soft">${role}</span>
          </div>`,
      )}
    </div>
    ${
      fonts.length > 0 &&
      html`<h3>Fonts</h3>
        ${table(["Asked for", "Drawn with"], fonts)}`
    }
  </section>`;
}

const costTones = { layout: "serious", paint: "moderate", compositor: "ok" };

export function motionPart({ patterns, warnings, libraries, total, frames }: Motion): Markup {
  const rows = patterns
    .slice(0, 40)
    .map(({ name, category, trigger, durationMs, iterations, properties, cost, selector }): Value[] => [
      html`${breakable(cut(name, 80))}<br /><code>${breakable(cut(selector, 80))}</code>`,
      category.replaceAll("_", " "),
      trigger,
      `${durationMs} ms${iterations === -1 ? ", forever" : ""}`,
      properties.slice(0, 5).join(", "),
      html`<span class="${costTones[cost]}">${cost}</span>`,
    ]);
  return html`<section class="card">
    <h2>Motion (${total})</h2>
    ${libraries.length > 0 && html`<p>Libraries: ${libraries.map(({ name, version }) => `${name} ${version}`.trim()).join(", ")}.</p>`}
    ${warnings.map(({ message, severity }) => html`<p class="${severity === "warning" ? "moderate" : "minor"}">${breakable(message)}</p>`)}
    ${
      rows.length === 0
        ? html`<p class="soft">Nothing moves.</p>`
        : table(["Name", "What for", "Trigger", "Time", "Changes", "Cost"], rows)
    }
    ${
      frames !== undefined &&
      html`<h3>What changed from frame to frame, besides scrolling</h3>
        ${barChart(frames.list.map(({ name, changed }) => ({ label: name, value: changed ?? 0, text: changed === null ? "–" : `${(changed * 100).toFixed(1)} %` })))}`
    }
  </section>`;
}

export function responsivePart(responsive: Responsive, picture: Picture): Markup {
  const { viewports, differences, problems } = responsive;
  return html`<section class="card">
    <h2>Sizes of the window</h2>
    ${problems.map(({ viewport, message, selectors }) => html`<p class="serious">${viewport}: ${breakable(message)} <code>${breakable(selectors.join(", "))}</code></p>`)}
    <div class="shots">
      ${viewports.map(({ name, width, height, navigation, screenshot }) => {
        const source = screenshot === undefined ? undefined : picture(screenshot);
        const shown = Math.round(Math.min(420, Math.max(170, width * 0.29)));
        return html`<figure>
          ${source !== undefined && html`<div class="window"><img src="${source}" width="${shown}" alt="The page at ${width} by ${height} pixels" /></div>`}
          <figcaption>
            ${name}, ${width} × ${height}<br />navigation:
            ${navigation}${source === undefined && screenshot !== undefined && `, picture in ${screenshot}`}
          </figcaption>
        </figure>`;
      })}
    </div>
    ${
      differences.length > 0 &&
      html`<h3>What changes</h3>
        <ul class="plain">
          ${differences.slice(0, 30).map(({ category, element, description, from, to }) => html`<li>${category}: <code>${breakable(element)}</code> ${breakable(description)} <span class="soft">(${from} → ${to})</span></li>`)}
        </ul>`
    }
  </section>`;
}

export function kilobytes(bytes: number): string {
  return bytes >= 1_000_000 ? `${(bytes / 1_000_000).toFixed(1)} MB` : `${(bytes / 1_000).toFixed(1)} KB`;
}

export function cut(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max)}…`;
}
