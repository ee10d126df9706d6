/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import type { CssFacts, DeclaredMotion } from "../facts.ts";

export const cssFunctions = [
  collectCss,
  readSheet,
  takeRule,
  takeStyleRule,
  declaredMotions,
  splitList,
  toMilliseconds,
  cssFeatures,
  stateOf,
  mathIn,
  doesMath,
];

interface CssNotes {
  rules: number;
  readonly mediaQueries: Set<string>;
  readonly keyframes: Map<string, CssFacts["keyframes"][number]>;
  readonly animations: DeclaredMotion[];
  readonly transitions: DeclaredMotion[];
  readonly states: CssFacts["states"][number][];
  readonly variables: Map<string, CssFacts["variables"][number]>;
  readonly fontFaces: Map<string, string>;
  readonly features: Record<string, number>;
  readonly functions: Set<string>;
  readonly math: CssFacts["math"][number][];
}

/** What the style sheets declare. Sheets of other origins cannot be read in the page, so their text is handed in. */
export function collectCss(sheetTexts: Readonly<Record<string, string>>): CssFacts {
  const notes: CssNotes = {
    rules: 0,
    mediaQueries: new Set(),
    keyframes: new Map(),
    animations: [],
    transitions: [],
    states: [],
    variables: new Map(),
    fontFaces: new Map(),
    features: {},
    functions: new Set(),
    math: [],
  };
  const patterns = Object.entries(cssFeatures());
  const unreadable: string[] = [];
  let bytes = 0;
  for (const sheet of [...document.styleSheets, ...document.adoptedStyleSheets]) {
    const list = readSheet(sheet, sheetTexts);
    if (list === undefined) unreadable.push((sheet.href ?? "").slice(0, 500));
    for (const rule of list ?? []) {
      takeRule(rule, notes);
      const text = rule.cssText;
      bytes += text.length;
      for (const [name, pattern] of patterns) {
        if (pattern.test(text)) notes.features[name] = (notes.features[name] ?? 0) + 1;
      }
    }
  }
  return {
    rules: notes.rules,
    bytes,
    unreadable,
    mediaQueries: [...notes.mediaQueries].slice(0, 200),
    keyframes: [...notes.keyframes.values()].slice(0, 500),
    animations: notes.animations,
    transitions: notes.transitions,
    states: notes.states,
    variables: [...notes.variables.values()],
    fontFaces: [...notes.fontFaces].map(([family, display]) => ({ family, display })).slice(0, 100),
    features: notes.features,
    functions: [...notes.functions],
    math: notes.math,
  };
}

function readSheet(sheet: CSSStyleSheet, sheetTexts: Readonly<Record<string, string>>): CSSRuleList | undefined {
  try {
    return sheet.cssRules;
  } catch {
    const text = sheetTexts[sheet.href ?? ""];
    if (text === undefined) return undefined;
    const copy = new CSSStyleSheet();
    copy.replaceSync(text);
    return copy.cssRules;
  }
}

function takeRule(rule: CSSRule, notes: CssNotes): void {
  notes.rules += 1;
  if (notes.rules > 60_000) return;
  if (rule instanceof CSSKeyframesRule) {
    const properties = new Set([...rule.cssRules].flatMap((step) => [...(step as CSSKeyframeRule).style]));
    const name = rule.name.slice(0, 100);
    notes.keyframes.set(name, { name, steps: rule.cssRules.length, properties: [...properties].slice(0, 30) });
    return;
  }
  if (rule instanceof CSSStyleRule) takeStyleRule(rule, notes);
  if (rule instanceof CSSMediaRule) notes.mediaQueries.add(rule.conditionText.slice(0, 200));
  if (rule instanceof CSSFontFaceRule) {
    const family = rule.style.getPropertyValue("font-family").replace(/["']/g, "");
    notes.fontFaces.set(family.slice(0, 100), rule.style.getPropertyValue("font-display"));
  }
  if (rule instanceof CSSContainerRule) notes.features["container"] = (notes.features["container"] ?? 0) + 1;
  if ("cssRules" in rule) for (const inner of rule.cssRules as CSSRuleList) takeRule(inner, notes);
}

function takeStyleRule({ style, selectorText, cssText }: CSSStyleRule, notes: CssNotes): void {
  const selector = selectorText.slice(0, 200);
  const max = 2_000;
  const animated = splitList(style.getPropertyValue("animation-name")).filter((name) => name !== "none");
  if (notes.animations.length < max) notes.animations.push(...declaredMotions(style, selector, "animation", animated));
  const isTransition = toMilliseconds(splitList(style.getPropertyValue("transition-duration"))[0] ?? "0") > 0;
  const changed = isTransition ? splitList(style.getPropertyValue("transition-property") || "all") : [];
  if (notes.transitions.length < max) {
    const named = changed.filter((name) => name !== "none");
    notes.transitions.push(...declaredMotions(style, selector, "transition", named));
  }
  const state = stateOf(selector);
  if (state !== undefined && notes.states.length < max) {
    notes.states.push({ selector, state, properties: [...style].slice(0, 20) });
  }
  for (const name of style) {
    const text = style.getPropertyValue(name).trim().slice(0, 200);
    const last = notes.math.at(-1);
    // A shorthand is told once, not for each side.
    const isTold = last?.selector === selector && last.text === text;
    if (notes.math.length < 100 && !isTold && doesMath(text)) notes.math.push({ property: name, selector, text });
    if (!name.startsWith("--") || notes.variables.size >= 1_000) continue;
    notes.variables.set(name, { name, value: text, scope: selector });
  }
  for (const use of mathIn(cssText)) if (notes.functions.size < 100) notes.functions.add(use);
}

function declaredMotions(
  style: CSSStyleDeclaration,
  selector: string,
  prefix: "animation" | "transition",
  names: readonly string[],
): DeclaredMotion[] {
  return names.map((property, index) => {
    // Shorter lists are repeated, as CSS has it.
    const nth = (suffix: string): string => {
      const values = splitList(style.getPropertyValue(`${prefix}-${suffix}`));
      return values[index % Math.max(1, values.length)] ?? "";
    };
    const count = prefix === "animation" ? nth("iteration-count") : "1";
    const timeline = prefix === "animation" ? nth("timeline") : "";
    return {
      selector,
      property,
      durationMs: toMilliseconds(nth("duration")),
      delayMs: toMilliseconds(nth("delay")),
      easing: nth("timing-function") || "ease",
      iterations: count === "infinite" ? -1 : Number(count) || 1,
      timeline: timeline === "auto" ? "" : timeline,
    };
  });
}

export function stateOf(selector: string): string | undefined {
  return /:(hover|focus-visible|focus-within|focus|active|checked|target)/.exec(selector)?.[1];
}

/** Calculations in a style sheet. */
export function mathIn(css: string): string[] {
  const uses = css.match(/(?<![\w-])(clamp|calc|min|max)\((?:[^()]|\([^()]*\))*\)/g) ?? [];
  return uses.map((use) => use.slice(0, 120));
}

export function doesMath(value: string): boolean {
  return /(?<![\w-])(clamp|calc)\(/.test(value);
}

export function splitList(text: string): string[] {
  const parts = text.split(/,(?![^(]*\))/).map((part) => part.trim());
  return parts.filter((part) => part !== "");
}

export function toMilliseconds(text: string): number {
  const ms = Number.parseFloat(text) * (text.endsWith("ms") ? 1 : 1_000);
  return Number.isFinite(ms) ? ms : 0;
}

export function cssFeatures(): Record<string, RegExp> {
  return {
    grid: /display:\s*(inline-)?grid/,
    flex: /display:\s*(inline-)?flex/,
    subgrid: /subgrid/,
    areas: /grid-template-areas|grid-area:/,
    auto_fit: /auto-fi(t|ll)/,
    gap: /(^|[\s;{])(row-|column-)?gap:/,
    aspect_ratio: /aspect-ratio:/,
    clamp: /clamp\(/,
    calc: /calc\(/,
    variables: /var\(--/,
    scroll_snap: /scroll-snap-type/,
    object_fit: /object-fit/,
    smooth_scroll: /scroll-behavior:\s*smooth/,
    place: /place-(items|content):/,
    clip_path: /clip-path:/,
    mask: /mask(-image)?:/,
    filter: /(^|[\s;{])filter:/,
    backdrop: /backdrop-filter/,
    bezier: /cubic-bezier|steps\(|linear\(/,
    logical: /(margin|padding|inset)-(inline|block)/,
    focus_visible: /:focus-visible/,
    has: /:has\(/,
    color_scheme: /color-scheme:/,
    color_mix: /color-mix\(|oklch\(|lab\(/,
    timeline: /animation-timeline|view-timeline|scroll-timeline/,
    sticky: /position:\s*sticky/,
    will_change: /will-change/,
    modern_images: /\.(webp|avif)/,
  };
}
