import type { Found, View } from "./extent.ts";

type Pattern = Found<"motion">["patterns"][number];

const levels: Readonly<Record<Pattern["cost"], string>> = { compositor: "excellent", paint: "fair", layout: "poor" };

/** A pattern as `motion.detect` shows it; in brief its name and kind alone. */
export function viewDetected(pattern: Pattern, isBrief: boolean): View {
  const { id, category, name, selector, trigger, cost, properties } = pattern;
  const type = pattern.type === "web_animation" ? "library_animation" : pattern.type;
  if (isBrief) return { id, type, category, name, trigger };
  return {
    id,
    type,
    category,
    name,
    ...(selector === "" ? {} : { selector }),
    trigger,
    animation: {
      duration: pattern.durationMs,
      delay: Math.max(0, pattern.delayMs),
      easing: viewEasing(pattern.easing),
      iterations: pattern.iterations === -1 ? "infinite" : pattern.iterations || 1,
      ...(pattern.script === undefined ? {} : timingOf(pattern.script)),
    },
    properties: properties.map((property) => ({ property })),
    performance: {
      usesTransform: properties.includes("transform"),
      usesOpacity: properties.includes("opacity"),
      triggersLayout: cost === "layout",
      triggersPaint: cost !== "compositor",
      level: levels[cost],
    },
    accessibility: { respectsReducedMotion: pattern.respectsReducedMotion },
    detectionSource: pattern.isRunning ? "runtime" : "css",
  };
}

function timingOf({ direction, fill }: NonNullable<Pattern["script"]>): View {
  return { direction, fillMode: fill === "auto" ? "none" : fill };
}

const easings: ReadonlySet<string> = new Set(["linear", "ease", "ease-in", "ease-out", "ease-in-out"]);

function viewEasing(easing: string): View {
  if (easings.has(easing)) return { type: easing };
  const curve = /^cubic-bezier\(([^)]*)\)/.exec(easing)?.[1]?.split(",").map(Number) ?? [];
  if (curve.length === 4 && curve.every(Number.isFinite)) return { type: "cubic-bezier", cubicBezier: curve };
  const steps = /^steps\((\d+)(?:,\s*([a-z-]+))?\)/.exec(easing);
  if (steps !== null)
    return {
      type: "steps",
      steps: { count: Number(steps[1]), ...(steps[2] === undefined ? {} : { position: steps[2] }) },
    };
  return { type: "unknown" };
}

/** What there is of everything, and how much it is. */
export function summarisePatterns(patterns: readonly Pattern[]): View {
  const count = (key: (pattern: Pattern) => string): Record<string, number> => {
    const counts: Record<string, number> = {};
    for (const pattern of patterns) counts[key(pattern)] = (counts[key(pattern)] ?? 0) + 1;
    return counts;
  };
  const share = (isMeant: (pattern: Pattern) => boolean): number =>
    patterns.length === 0 ? 1 : patterns.filter(isMeant).length / patterns.length;
  const timed = patterns.filter(({ durationMs }) => durationMs > 0);
  const total = timed.reduce((sum, { durationMs }) => sum + durationMs, 0);
  const categories = count(({ category }) => category);
  return {
    totalPatterns: patterns.length,
    byType: count(({ type }) => (type === "web_animation" ? "library_animation" : type)),
    byTrigger: count(({ trigger }) => trigger),
    byCategory: categories,
    averageDuration: timed.length === 0 ? 0 : Math.round(total / timed.length),
    hasInfiniteAnimations: patterns.some(({ iterations }) => iterations === -1),
    // Two points for each pattern up to thirty, five for each category up to eight.
    complexityScore: Math.min(60, patterns.length * 2) + Math.min(40, Object.keys(categories).length * 5),
    performanceScore: Math.round(100 * share(({ cost }) => cost !== "layout")),
    accessibilityScore: Math.round(100 * share(({ respectsReducedMotion }) => respectsReducedMotion)),
  };
}
