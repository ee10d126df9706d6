import type { MotionPattern, MotionTrigger } from "./motion.ts";

type MotionCategory = MotionPattern["category"];

const compositorOnly = /^(transform|translate|rotate|scale|opacity|filter|backdrop-filter|offset-.*|perspective)$/;
const layoutChanging =
  /^(all|width|height|(min|max)-(width|height)|inline-size|block-size|top|right|bottom|left|inset.*|margin.*|padding.*|border(-\w+)?-width|font-size|line-height|letter-spacing|word-spacing|display|position|flex.*|grid.*|gap|row-gap|column-gap|columns|float|white-space|vertical-align)$/;

export function costOf(properties: readonly string[]): MotionPattern["cost"] {
  const animated = properties.filter((property) => !property.startsWith("--"));
  // "all" is written by habit more than by intent, and changes whatever the state's rule changes.
  if (animated.some((property) => property !== "all" && layoutChanging.test(property))) return "layout";
  return animated.length > 0 && animated.every((property) => compositorOnly.test(property)) ? "compositor" : "paint";
}

export interface MotionShape {
  readonly name: string;
  readonly selector: string;
  readonly properties: readonly string[];
  readonly isInfinite: boolean;
  readonly trigger: MotionTrigger;
  readonly durationMs: number;
}

const categoryRules: readonly (readonly [MotionCategory, (shape: MotionShape, words: string) => boolean])[] = [
  ["typing_animation", (_shape, words) => /typ(ing|ewriter|ed)|caret|cursor-blink/.test(words)],
  ["marquee", (_shape, words) => /marquee|ticker/.test(words)],
  ["loading_state", (_shape, words) => /spin|load(er|ing)|skeleton|shimmer|progress/.test(words)],
  ["video_overlay", (_shape, words) => /video|play-button/.test(words)],
  ["hover_effect", ({ trigger }) => trigger === "hover"],
  ["parallax", (_shape, words) => /parallax/.test(words)],
  [
    "morphing",
    ({ properties }, words) =>
      /morph|blob/.test(words) || properties.some((property) => /^(d|clip-path|border-radius)$/.test(property)),
  ],
  [
    "background_animation",
    ({ properties, isInfinite }, words) =>
      (isInfinite && properties.some((property) => property.startsWith("background"))) ||
      /gradient|aurora|backdrop/.test(words),
  ],
  ["scroll_trigger", ({ trigger }) => trigger === "scroll"],
  ["reveal", ({ trigger }, words) => trigger === "intersection" || /reveal|aos|in-view/.test(words)],
  ["page_transition", (_shape, words) => /page-(enter|leave|transition)|route/.test(words)],
  ["navigation", (_shape, words) => /\bnav|menu|drawer|dropdown|sidebar/.test(words)],
  ["feedback", ({ trigger }, words) => trigger === "click" || /shake|error|success|toast|alert|ripple/.test(words)],
  ["micro_interaction", ({ trigger }) => trigger === "focus"],
  [
    "attention_grabber",
    ({ isInfinite }, words) => /pulse|bounce|wiggle|blink|flash|glow|heartbeat|tada/.test(words) || isInfinite,
  ],
  ["exit", (_shape, words) => /(^|[-_ ])(out|exit|leave|fadeout|hide)|[a-z](Out|Leave)\b/.test(words)],
  [
    "entrance",
    ({ properties, trigger }, words) =>
      /(^|[-_ ])(in|enter|appear|fade|slide|zoom|rise|show)|fade|slide/i.test(words) ||
      (trigger === "load" && properties.includes("opacity")),
  ],
  ["micro_interaction", ({ durationMs }) => durationMs > 0 && durationMs <= 400],
];

/** What a movement is for; the first rule that fits decides. */
export function categoryOf(shape: MotionShape): MotionCategory {
  const words = `${shape.name} ${shape.selector}`.replace(/([a-z])([A-Z])/g, "$1-$2").toLowerCase();
  return categoryRules.find(([, fits]) => fits(shape, words))?.[0] ?? "unknown";
}

export function triggerOf(selector: string, timeline: string, hasStateTwin: string | undefined): MotionTrigger {
  if (timeline !== "") return "scroll";
  const state = /:(hover|focus-visible|focus-within|focus|active|checked)/.exec(selector)?.[1] ?? hasStateTwin;
  if (state === "hover") return "hover";
  if (state?.startsWith("focus") === true) return "focus";
  if (state === "active" || state === "checked") return "click";
  if (/parallax|scroll|sticky/i.test(selector)) return "scroll";
  return /visible|in-?view|reveal|aos|is-shown/i.test(selector) ? "intersection" : "unknown";
}
