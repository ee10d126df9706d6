import { html, type Markup } from "./html.ts";

/** A ring that is filled as far as the score says. */
export function scoreRing(score: number, label: string, size = 132): Markup {
  const radius = 52;
  const length = 2 * Math.PI * radius;
  const filled = (Math.max(0, Math.min(100, score)) / 100) * length;
  return html`<svg
    class="ring ${toneOf(score)}"
    viewBox="0 0 120 142"
    width="${size}"
    height="${Math.round(size * 1.18)}"
    role="img"
    aria-label="${label}: ${score} of 100"
  >
    <circle cx="60" cy="60" r="${radius}" class="track" />
    <circle
      cx="60"
      cy="60"
      r="${radius}"
      class="value"
      stroke-dasharray="${filled.toFixed(1)} ${length.toFixed(1)}"
      transform="rotate(-90 60 60)"
    />
    <text x="60" y="62" class="number">${score}</text>
    <text x="60" y="138" class="caption">${label}</text>
  </svg>`;
}

export interface Bar {
  readonly label: string;
  readonly value: number;
  readonly text: string;
  readonly tone?: string;
}

/** Bars with their labels, scaled to the longest. */
export function barChart(bars: readonly Bar[], max = Math.max(1, ...bars.map(({ value }) => value))): Markup {
  return html`<div class="bars">
    ${bars.map(({ label, value, text, tone = "" }) => {
      const share = (Math.min(value, max) / max) * 100;
      return html`<span>${label}</span
        ><span class="track"><span class="value ${tone}" style="width: ${share.toFixed(1)}%"></span></span
        ><span class="soft">${text}</span>`;
    })}
  </div>`;
}

/** The page's sections as they lie below each other. */
export function pageMap(
  sections: readonly { type: string; top: number; height: number; heading: string }[],
  pageHeight: number,
): Markup {
  const height = 420;
  const scale = height / Math.max(1, pageHeight);
  return html`<svg class="map" viewBox="0 0 260 ${height}" role="img" aria-label="Sections from top to bottom">
    <rect x="0.5" y="0.5" width="259" height="${height - 1}" rx="8" class="sheet" />
    ${sections.map(({ type, top, height: tall, heading }) => {
      const y = top * scale;
      const drawn = Math.max(12, tall * scale - 2);
      return html`<g class="part"
        ><rect
          x="6"
          y="${y.toFixed(1)}"
          width="248"
          height="${drawn.toFixed(1)}"
          rx="4"
        />${drawn >= 12 && html`<text x="14" y="${(y + Math.min(drawn / 2 + 4, 20)).toFixed(1)}">${type}${drawn > 40 && heading !== "" ? ` · ${heading.slice(0, 24)}` : ""}</text>`}</g
      >`;
    })}
  </svg>`;
}

export function toneOf(score: number): string {
  return score >= 80 ? "good" : score >= 60 ? "fair" : "poor";
}
