import type { PageFacts } from "../facts.ts";
import { toAxis } from "./axes.ts";
import type { Axis, Finding, Severity } from "./quality.ts";

const price: Readonly<Record<Severity, number>> = { critical: 12, serious: 7, moderate: 3, minor: 1 };
const maxLost = 60;

/**
 * How well it is made. What was measured and found wrong weighs most; the techniques that it uses are worth a few points each, so
 * that writing them down without using them gains little.
 */
export function rateCraftsmanship(facts: PageFacts, findings: readonly Finding[]): Axis {
  const { css, document, content } = facts;
  const has = (name: string): boolean => (css.features[name] ?? 0) > 0;
  const lost = findings.map(({ severity, count, title }) => ({
    points: -Math.min(price[severity] * 2, price[severity] * (1 + Math.log2(Math.max(1, count)) * 0.3)),
    text: title,
  }));
  const total = lost.reduce((sum, { points }) => sum + points, 0);
  const scale = total < -maxLost ? -maxLost / total : 1;
  const semantic = ["header", "main", "nav", "footer"].filter((tag) => (document.tags[tag] ?? 0) > 0).length;
  const isReduced = css.mediaQueries.some((query) => query.includes("prefers-reduced-motion"));
  const isResponsive = css.mediaQueries.some((query) => query.includes("width")) || has("container") || has("clamp");
  const images = content.images.length;
  return toAxis(70, [
    ...lost.map(({ points, text }) => ({ points: Math.round(points * scale * 10) / 10, text })),
    { points: semantic * 2.5, text: `${semantic} of 4 landmarks` },
    { points: document.viewportMeta === "" ? 0 : 3, text: "fits the screen's width" },
    { points: isResponsive ? 5 : 0, text: "rules for different widths" },
    { points: has("grid") || has("flex") ? 3 : 0, text: "grid or flexible boxes" },
    {
      points: isReduced || css.animations.length + css.transitions.length === 0 ? 3 : 0,
      text: "respects people who want less motion",
    },
    { points: has("focus_visible") ? 2 : 0, text: "visible focus" },
    { points: document.language === "" ? 0 : 2, text: "says its language" },
    {
      points: images > 0 && content.images.every(({ hasAlt, hasSize }) => hasAlt && hasSize) ? 3 : 0,
      text: "images with text and size",
    },
    { points: has("variables") ? 2 : 0, text: "design variables in use" },
  ]);
}
