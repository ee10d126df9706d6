import type { KeptPage, PageAnalysis } from "../../kinds/page/contract.ts";
import { toVector, type Features } from "../features.ts";
import type { Entry, EntryFacts } from "../library.ts";
import { entryId } from "./entry-id.ts";

type Motion = NonNullable<PageAnalysis["motion"]>;
type Pattern = Motion["patterns"][number];

const maxMotions = 100;

/** Motions that are alike but for where they are count as one. */
export function motionEntries({ id, analysis: { motion } }: KeptPage): Entry[] {
  if (motion === undefined) return [];
  const libraries = motion.libraries.map(({ name }) => name);
  const different = new Map(motion.patterns.toReversed().map((pattern) => [likeness(pattern), pattern]));
  const patterns = motion.patterns.filter((pattern) => different.get(likeness(pattern)) === pattern);
  const found = patterns.map((pattern) => describe(pattern, libraries));
  const canvases = motion.canvases
    .filter(({ isAnimated }) => isAnimated)
    .map((canvas) => describeCanvas(canvas, libraries));
  return [...found, ...canvases]
    .slice(0, maxMotions)
    .map((entry, place) => ({ id: entryId(id, "motion", place), kind: "motion", ...entry }));
}

function likeness({
  type,
  category,
  trigger,
  durationMs,
  delayMs,
  easing,
  iterations,
  properties,
  name,
}: Pattern): string {
  return JSON.stringify([type, category, trigger, durationMs, delayMs, easing, iterations, properties, name]);
}

type Described = Omit<Entry, "id" | "kind">;

function describe(pattern: Pattern, libraries: readonly string[]): Described {
  const { name, selector, category, trigger, type, properties, easing } = pattern;
  const features: Features = motionFeatures(pattern);
  const facts: EntryFacts = {
    selector,
    trigger,
    motion_type: type,
    properties: [...properties],
    duration_ms: pattern.durationMs,
    delay_ms: pattern.delayMs,
    easing,
    iterations: pattern.iterations,
    cost: pattern.cost,
    is_running: pattern.isRunning,
    respects_reduced_motion: pattern.respectsReducedMotion,
    ...(type === "web_animation" ? { libraries: [...libraries] } : {}),
  };
  const text = [category, trigger, type, name, selector, ...properties, easing].join(" ").replaceAll("_", " ");
  return { type: category, title: name, text, vector: toVector(features), facts };
}

/** What a motion looks like; a sample that somebody gives is described by the same figures. */
export function motionFeatures(
  pattern: Pick<Pattern, "durationMs" | "delayMs" | "iterations" | "type" | "trigger" | "properties" | "easing">,
): Features {
  const { durationMs, delayMs, iterations, type, trigger, properties, easing } = pattern;
  const some = (wanted: RegExp): number => (properties.some((property) => wanted.test(property)) ? 1 : 0);
  return {
    long: durationFigure(durationMs),
    delayed: durationFigure(delayMs),
    endless: iterations === -1 ? 1 : 0,
    transition: type === "css_transition" ? 1 : 0,
    animation: type === "css_transition" ? 0 : 1,
    hover: trigger === "hover" ? 1 : 0,
    scroll: trigger === "scroll" || trigger === "intersection" ? 1 : 0,
    load: trigger === "load" ? 1 : 0,
    click: trigger === "click" ? 1 : 0,
    focus: trigger === "focus" ? 1 : 0,
    ...propertyFeatures(some),
    eased: easing === "linear" ? 0 : 1,
  };
}

function propertyFeatures(some: (wanted: RegExp) => number): Features {
  return {
    fade: some(/opacity/),
    move: some(/transform|translate|rotate|scale|top|left|right|bottom|offset/),
    recolor: some(/color|fill|stroke|background|shadow|filter/),
    resize: some(/width|height|padding|margin|font-size/),
  };
}

/** Ten seconds and more are 1; a tenth of one is near 0.5, because short differences are seen best. */
function durationFigure(ms: number): number {
  return Math.min(1, Math.log1p(Math.max(0, ms)) / Math.log1p(10_000));
}

function describeCanvas({ selector, context }: Motion["canvases"][number], libraries: readonly string[]): Described {
  return {
    type: "canvas",
    title: selector,
    text: ["canvas animation", context, selector, ...libraries].join(" "),
    vector: toVector({ animation: 1, endless: 1 }),
    facts: { selector, motion_type: "canvas", context, trigger: "load", properties: [], libraries: [...libraries] },
  };
}
