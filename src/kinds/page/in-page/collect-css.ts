/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import type { CssFacts, DeclaredMotion } from "../facts.ts";

/** What the style sheets declare. Sheets of other origins cannot be read in the page, so their text is handed in. */
export function collectCss(sheetTexts: Readonly<Record<string, string>>): CssFacts {
  const found = {
    mediaQueries: new Set<string>(),
    keyframes: new Map<string, CssFacts["keyframes"][number]>(),
    animations: [] as DeclaredMotion[],
    transitions: [] as DeclaredMotion[],
    states: [] as CssFacts["states"][number][],
    variables: new Map<string, string>(),
    fontFaces: new Map<string, string>(),
    features: {} as Record<string, number>,
    functions: new Set<string>(),
  };
  const unreadable: string[] = [];
  let rules = 0;
  let bytes = 0;
  const featurePatterns: Record<string, RegExp> = {
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
  const ms = (text: string): number =>
    (text.endsWith("ms") ? Number.parseFloat(text) : Number.parseFloat(text) * 1_000) || 0;
  const list = (text: string): string[] =>
    text
      .split(/,(?![^(]*\))/)
      .map((part) => part.trim())
      .filter((part) => part !== "");
  const motions = (
    style: CSSStyleDeclaration,
    selector: string,
    prefix: "animation" | "transition",
    names: string[],
  ): DeclaredMotion[] =>
    names.map((property, index) => {
      const nth = (suffix: string): string => {
        const values = list(style.getPropertyValue(`${prefix}-${suffix}`));
        return values[index % Math.max(1, values.length)] ?? "";
      };
      const count = prefix === "animation" ? nth("iteration-count") : "1";
      return {
        selector,
        property,
        durationMs: ms(nth("duration")),
        delayMs: ms(nth("delay")),
        easing: nth("timing-function") || "ease",
        iterations: count === "infinite" ? -1 : Number(count) || 1,
        timeline: prefix === "animation" ? nth("timeline").replace(/^auto$/, "") : "",
      };
    });
  const takeStyle = (rule: CSSStyleRule): void => {
    const { style } = rule;
    const selector = rule.selectorText.slice(0, 200);
    const animated = list(style.getPropertyValue("animation-name")).filter((name) => name !== "none");
    if (found.animations.length < 2_000) found.animations.push(...motions(style, selector, "animation", animated));
    const changed =
      ms(list(style.getPropertyValue("transition-duration"))[0] ?? "0") > 0
        ? list(style.getPropertyValue("transition-property") || "all")
        : [];
    if (found.transitions.length < 2_000)
      found.transitions.push(
        ...motions(
          style,
          selector,
          "transition",
          changed.filter((name) => name !== "none"),
        ),
      );
    const state = /:(hover|focus-visible|focus-within|focus|active|checked|target)/.exec(selector)?.[1];
    if (state !== undefined && found.states.length < 2_000)
      found.states.push({ selector, state, properties: [...style].slice(0, 20) });
    for (const name of style)
      if (name.startsWith("--") && found.variables.size < 1_000)
        found.variables.set(name, style.getPropertyValue(name).trim().slice(0, 200));
    for (const use of rule.cssText.match(/(clamp|calc|min|max)\((?:[^()]|\([^()]*\))*\)/g) ?? [])
      if (found.functions.size < 100) found.functions.add(use.slice(0, 120));
  };
  const take = (rule: CSSRule): void => {
    rules += 1;
    if (rules > 60_000) return;
    if (rule instanceof CSSStyleRule) takeStyle(rule);
    else if (rule instanceof CSSKeyframesRule) {
      const properties = new Set([...rule.cssRules].flatMap((step) => [...(step as CSSKeyframeRule).style]));
      found.keyframes.set(rule.name, {
        name: rule.name.slice(0, 100),
        steps: rule.cssRules.length,
        properties: [...properties].slice(0, 30),
      });
    } else if (rule instanceof CSSMediaRule) found.mediaQueries.add(rule.conditionText.slice(0, 200));
    else if (rule instanceof CSSFontFaceRule)
      found.fontFaces.set(
        rule.style.getPropertyValue("font-family").replace(/["']/g, "").slice(0, 100),
        rule.style.getPropertyValue("font-display"),
      );
    else if (rule.cssText.startsWith("@container"))
      found.features["container"] = (found.features["container"] ?? 0) + 1;
    if ("cssRules" in rule && !(rule instanceof CSSKeyframesRule))
      for (const inner of rule.cssRules as CSSRuleList) take(inner);
  };
  const readSheet = (sheet: CSSStyleSheet): CSSRuleList | undefined => {
    try {
      return sheet.cssRules;
    } catch {
      const text = sheetTexts[sheet.href ?? ""];
      if (text === undefined) return undefined;
      const copy = new CSSStyleSheet();
      copy.replaceSync(text);
      return copy.cssRules;
    }
  };
  for (const sheet of [...document.styleSheets, ...document.adoptedStyleSheets]) {
    const list = readSheet(sheet);
    if (list === undefined) unreadable.push((sheet.href ?? "").slice(0, 500));
    for (const rule of list ?? []) {
      take(rule);
      const text = rule.cssText;
      bytes += text.length;
      for (const [name, pattern] of Object.entries(featurePatterns))
        if (pattern.test(text)) found.features[name] = (found.features[name] ?? 0) + 1;
    }
  }
  return {
    rules,
    bytes,
    unreadable,
    mediaQueries: [...found.mediaQueries].slice(0, 200),
    keyframes: [...found.keyframes.values()].slice(0, 500),
    animations: found.animations,
    transitions: found.transitions,
    states: found.states,
    variables: [...found.variables].map(([name, value]) => ({ name, value })),
    fontFaces: [...found.fontFaces].map(([family, display]) => ({ family, display })).slice(0, 100),
    features: found.features,
    functions: [...found.functions],
  };
}
