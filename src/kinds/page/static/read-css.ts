import { generate, parse, walk, type CssNode, type Rule } from "css-tree";
import type { CssFacts, DeclaredMotion } from "../facts.ts";
import { cssFeatures, doesMath, mathIn, splitList, stateOf, toMilliseconds } from "../in-page/collect-css.ts";

const maxCharacters = 2_000_000;

type Notes = {
  -readonly [Key in keyof CssFacts]: CssFacts[Key] extends readonly (infer Item)[] ? Item[] : CssFacts[Key];
};

/** What style sheets declare, read without a browser. css-tree goes on after what it cannot read. */
export function readCss(texts: readonly string[], unreadable: readonly string[]): CssFacts {
  const css = texts.join("\n").slice(0, maxCharacters);
  const notes: Notes = {
    rules: 0,
    bytes: css.length,
    unreadable: [...unreadable],
    mediaQueries: [],
    keyframes: [],
    animations: [],
    transitions: [],
    states: [],
    variables: [],
    fontFaces: [],
    functions: [],
    math: [],
    features: Object.fromEntries(
      Object.entries(cssFeatures())
        .filter(([, pattern]) => pattern.test(css))
        .map(([name]) => [name, 1]),
    ),
  };
  const tree = parse(css, {
    parseValue: false,
    parseRulePrelude: false,
    parseAtrulePrelude: false,
    parseCustomProperty: false,
  });
  walk(tree, { visit: "Atrule", enter: (node) => takeAtRule(node, notes) });
  walk(tree, {
    visit: "Rule",
    enter(node) {
      notes.rules += 1;
      if (this.atrule?.name.endsWith("keyframes") !== true) takeRule(node, notes);
    },
  });
  return { ...notes, mediaQueries: [...new Set(notes.mediaQueries)].slice(0, 200) };
}

function takeAtRule(node: CssNode, notes: Notes): void {
  if (node.type !== "Atrule") return;
  const prelude = node.prelude === null ? "" : generate(node.prelude).trim();
  if (node.name === "media") notes.mediaQueries.push(prelude.slice(0, 200));
  if (node.name === "container") notes.features = { ...notes.features, container: 1 };
  if (node.name === "font-face" && node.block !== null) {
    const declared = declarations(node.block);
    notes.fontFaces.push({
      family: (declared.get("font-family") ?? "").replace(/["']/g, ""),
      display: declared.get("font-display") ?? "",
    });
  }
  if (node.name.endsWith("keyframes") && node.block !== null) {
    const properties = new Set<string>();
    walk(node.block, { visit: "Declaration", enter: ({ property }) => void properties.add(property) });
    notes.keyframes.push({ name: prelude, steps: node.block.children.size, properties: [...properties] });
  }
}

function takeRule(rule: Rule, notes: Notes): void {
  const selector = generate(rule.prelude).slice(0, 200);
  const declared = declarations(rule.block);
  notes.animations.push(...toMotions(selector, "animation", declared));
  notes.transitions.push(...toMotions(selector, "transition", declared));
  const state = stateOf(selector);
  if (state !== undefined) notes.states.push({ selector, state, properties: [...declared.keys()].slice(0, 20) });
  for (const [name, value] of declared) {
    if (name.startsWith("--") && notes.variables.length < 1_000)
      notes.variables.push({ name, value: value.slice(0, 200), scope: selector });
    if (notes.math.length < 100 && doesMath(value))
      notes.math.push({ property: name, selector, text: value.slice(0, 200) });
    if (notes.functions.length < 100) notes.functions.push(...mathIn(value));
  }
}

function declarations(block: CssNode): Map<string, string> {
  const found = new Map<string, string>();
  walk(block, {
    visit: "Declaration",
    enter: ({ property, value }) => void found.set(property, generate(value).trim()),
  });
  return found;
}

/** Reads the shorthand, or the parts when there is none. */
function toMotions(
  selector: string,
  prefix: "animation" | "transition",
  declared: ReadonlyMap<string, string>,
): DeclaredMotion[] {
  const shorthand = declared.get(prefix);
  const named = declared.get(prefix === "animation" ? "animation-name" : "transition-property");
  const texts =
    shorthand ??
    (named === undefined
      ? ""
      : [
          named,
          declared.get(`${prefix}-duration`),
          declared.get(`${prefix}-timing-function`),
          declared.get("animation-iteration-count"),
        ].join(" "));
  const timeline = declared.get("animation-timeline") ?? "";
  return splitList(texts)
    .filter((text) => text !== "none")
    .map((text) => {
      const words = text.split(/\s+(?![^(]*\))/);
      const times = words.filter((word) => /^[\d.]+m?s$/.test(word)).map(toMilliseconds);
      const easing = words.find((word) => /^(ease|linear|step|cubic-bezier)/.test(word)) ?? "ease";
      const reserved =
        /^(ease.*|linear.*|step.*|cubic-bezier.*|infinite|alternate.*|reverse|normal|both|forwards|backwards|running|paused|none|[\d.]+(m?s)?)$/;
      const property = words.find((word) => !reserved.test(word)) ?? (prefix === "transition" ? "all" : "");
      const count = words.find((word) => /^[\d.]+$/.test(word));
      return {
        selector,
        property,
        durationMs: times[0] ?? 0,
        delayMs: times[1] ?? 0,
        easing,
        iterations: words.includes("infinite") ? -1 : Number.isFinite(Number(count)) ? Number(count) : 1,
        timeline,
      };
    })
    .filter(({ property }) => property !== "");
}
