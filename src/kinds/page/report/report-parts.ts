import type { Layout } from "../layout/analyze-layout.ts";
import type { Motion } from "../motion/analyze-motion.ts";
import type { Quality } from "../quality/analyze-quality.ts";
import type { Responsive } from "../responsive/analyze-responsive.ts";
import { html, type Markup } from "./html.ts";
import { barChart, type Bar, pageMap, toneOf } from "./plots.ts";

export function findingsPart({ findings, recommendations }: Quality): Markup {
  if (findings.length === 0)
    return html`<section class="card">
      <h2>Findings</h2>
      <p class="ok">Nothing wrong was found.</p>
    </section>`;
  const gains = new Map(recommendations.map(({ id, gain }) => [id, gain]));
  return html`<section class="card">
    <h2>Findings (${findings.length})</h2>
    <div class="scroll">
      <table>
        <thead>
          <tr>
            <th>Severity</th>
            <th>What is wrong</th>
            <th>Evidence and advice</th>
            <th>Gain</th>
          </tr>
        </thead>
        <tbody>
          ${findings.map((item) => {
            const gain = gains.get(item.id);
            return html`<tr>
              <td><span class="tag ${item.severity}">${item.severity}</span></td>
              <td>${item.title}${item.count > 1 && html` <span class="soft">× ${item.count}</span>`}</td>
              <td>
                <div>${item.evidence.slice(0, 300)}</div>
                <div class="soft">
                  ${item.help === undefined ? item.advice : html`<a href="${item.help}" rel="noreferrer">How to mend it</a>`}
                </div>
                ${item.selectors.slice(0, 3).map((selector) => html`<code>${selector}</code> `)}
              </td>
              <td class="gain">${gain !== undefined && gain > 0 && `+${gain}`}</td>
            </tr>`;
          })}
        </tbody>
      </table>
    </div>
  </section>`;
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
    <h3>${kilobytes(weight?.bytes ?? 0)} in ${weight?.requests ?? 0} requests</h3>
    ${barChart(types.slice(0, 8).map(([label, { bytes, requests }]) => ({ label, value: bytes, text: `${kilobytes(bytes)} (${requests})` })))}
  </section>`;
}

function timed(label: string, ms: number, good: number, poor: number): Bar {
  const text = ms >= 1_000 ? `${(ms / 1_000).toFixed(2)} s` : `${ms} ms`;
  return { label, value: ms / poor, text, tone: ms <= good ? "good" : ms <= poor ? "fair" : "poor" };
}

export function axesPart({ axes, cliches }: Quality): Markup {
  return html`<section class="card">
    <h2>How the score came about</h2>
    <div class="scroll">
      <table>
        <thead>
          <tr>
            <th>Axis</th>
            <th>Score</th>
            <th>Gained and lost</th>
          </tr>
        </thead>
        <tbody>
          ${Object.entries(axes).map(
            ([name, axis]) =>
              html`<tr>
                <td>${name}</td>
                <td class="${toneOf(axis.score)}">${axis.score} (${axis.grade})</td>
                <td>
                  ${axis.details.slice(0, 14).map(({ points, text }) => html`<div><span class="${points < 0 ? "serious" : "ok"}">${points > 0 ? "+" : ""}${points}</span> ${text}</div>`)}
                </td>
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
    ${cliches.length > 0 && html`<p class="soft">Clichés: ${cliches.map(({ type }) => type.replaceAll("_", " ")).join(", ")}.</p>`}
  </section>`;
}

export function layoutPart(layout: Layout, pageHeight: number): Markup {
  const { palette, typography, framework, grid } = layout;
  const family = typography.body === null ? "unknown" : `${typography.body.family}, ${typography.body.size} px`;
  return html`<section class="card">
    <h2>Layout</h2>
    <div class="two">
      <div>
        ${layout.sections.length === 0 ? html`<p class="soft">No sections were found.</p>` : pageMap(layout.sections, pageHeight)}
      </div>
      <div>
        <div class="scroll">
          <table>
            <thead>
              <tr>
                <th>Section</th>
                <th>Heading</th>
                <th>Sure</th>
              </tr>
            </thead>
            <tbody>
              ${layout.sections.slice(0, 30).map(
                ({ type, heading, confidence }) =>
                  html`<tr>
                    <td>${type}</td>
                    <td>${heading}</td>
                    <td>${Math.round(confidence * 100)} %</td>
                  </tr>`,
              )}
            </tbody>
          </table>
        </div>
        <p class="soft">
          Framework: ${framework.framework} (${Math.round(framework.confidence * 100)} %).
          ${grid.usesGrid ? "Grid" : grid.usesFlex ? "Flexible boxes" : "No grid"}, up to ${grid.columns} columns, gap
          ${grid.gap} px. Text: ${family}.
        </p>
      </div>
    </div>
    <h3>Colours (${palette.theme})</h3>
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
      typography.used.length > 0 &&
      html`<h3>Fonts</h3>
        <div class="scroll">
          <table>
            <thead>
              <tr>
                <th>Asked for</th>
                <th>Drawn with</th>
              </tr>
            </thead>
            <tbody>
              ${typography.used.map(
                ({ asked, used }) =>
                  html`<tr>
                    <td>${asked}</td>
                    <td>
                      ${used.map(({ family: name, glyphs, isDownloaded }) => `${name} (${glyphs} glyphs${isDownloaded ? ", downloaded" : ""})`).join(", ")}
                    </td>
                  </tr>`,
              )}
            </tbody>
          </table>
        </div>`
    }
  </section>`;
}

export function motionPart(motion: Motion): Markup {
  const { patterns, warnings, libraries } = motion;
  return html`<section class="card">
    <h2>Motion (${motion.total})</h2>
    ${libraries.length > 0 && html`<p>Libraries: ${libraries.map(({ name, version }) => `${name} ${version}`.trim()).join(", ")}.</p>`}
    ${warnings.map(({ message, severity }) => html`<p class="${severity === "warning" ? "moderate" : "minor"}">${message}</p>`)}
    ${
      patterns.length === 0
        ? html`<p class="soft">Nothing moves.</p>`
        : html`<div class="scroll">
            <table>
              <thead>
                <tr>
                  <th>Name</th>
                  <th>What for</th>
                  <th>Trigger</th>
                  <th>Time</th>
                  <th>Changes</th>
                  <th>Cost</th>
                </tr>
              </thead>
              <tbody>
                ${patterns.slice(0, 40).map(
                  ({ name, category, trigger, durationMs, iterations, properties, cost, selector }) =>
                    html`<tr>
                      <td>${name}<br /><code>${selector.slice(0, 80)}</code></td>
                      <td>${category.replaceAll("_", " ")}</td>
                      <td>${trigger}</td>
                      <td>${durationMs} ms${iterations === -1 ? ", for ever" : ""}</td>
                      <td>${properties.slice(0, 5).join(", ")}</td>
                      <td class="${cost === "layout" ? "serious" : cost === "paint" ? "moderate" : "ok"}">${cost}</td>
                    </tr>`,
                )}
              </tbody>
            </table>
          </div>`
    }
  </section>`;
}

export function responsivePart(responsive: Responsive, picture: (name: string) => string | undefined): Markup {
  const { viewports, differences, problems } = responsive;
  return html`<section class="card">
    <h2>Sizes of the window</h2>
    ${problems.map(({ viewport, message, selectors }) => html`<p class="serious">${viewport}: ${message} <code>${selectors.join(", ")}</code></p>`)}
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
          ${differences.slice(0, 30).map(({ category, element, description, from, to }) => html`<li>${category}: <code>${element}</code> ${description} <span class="soft">(${from} → ${to})</span></li>`)}
        </ul>`
    }
  </section>`;
}

function kilobytes(bytes: number): string {
  return bytes >= 1_000_000 ? `${(bytes / 1_000_000).toFixed(1)} MB` : `${(bytes / 1_000).toFixed(1)} KB`;
}
