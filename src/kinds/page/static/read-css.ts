import {
  generate,
  parse,
  walk,
  type Atrule,
  type CssNode,
  type Declaration,
  type Rule,
  type WalkContext,
} from "css-tree";
import type { CssFacts, DeclaredMotion } from "../facts.ts";
import {
  cssFeatures,
  doesMath,
  isForStill,
  mathIn,
  splitList,
  stateOf,
  toMilliseconds,
} from "../in-page/collect-css.ts";

const maxCharacters = 2_000_000;
/** Deeper than anybody nests rules. The parser would begin anew at each level. */
const deepest = 32;
const longestValue = 2_000;
const longestName = 100;
const maxNotes = 2_000;

type Notes = {
  -readonly [Key in keyof CssFacts]: CssFacts[Key] extends readonly (infer Item)[] ? Item[] : CssFacts[Key];
};
/** What a rule declares itself: what rules in it declare is theirs. */
type Declarations = ReadonlyMap<string, string>;
const nothing: Declarations = new Map();

/** What style sheets declare, read without a browser. css-tree goes on after what it cannot read. */
export function readCss(texts: readonly string[], unreadable: readonly string[]): CssFacts {
  const css = upToDeepest(texts.join("\n").slice(0, maxCharacters));
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
  takeAll(css, notes);
  return notes;
}

/** The style sheet up to where its blocks are nested too deep. */
function upToDeepest(css: string): string {
  let depth = 0;
  for (let place = 0; place < css.length; place++) {
    const code = css.charCodeAt(place);
    if (code === 0x7b) depth += 1;
    else if (code === 0x7d) depth = Math.max(0, depth - 1);
    if (depth > deepest) return css.slice(0, place);
  }
  return css;
}

function takeAll(css: string, notes: Notes): void {
  const tree = parse(css, {
    parseValue: false,
    parseRulePrelude: false,
    parseAtrulePrelude: false,
    parseCustomProperty: false,
  });
  const declared = new Map<Rule | Atrule, Map<string, string>>();
  walk(tree, {
    enter(this: WalkContext, node: CssNode) {
      if (node.type !== "Declaration") return;
      const { property, value } = take(node);
      // A step of an animation is told with all of its steps.
      for (const around of [this.rule, this.atrule]) {
        if (around === null) continue;
        const known = declared.get(around) ?? new Map<string, string>();
        declared.set(around, known.set(property, value));
      }
    },
    leave(this: WalkContext, node: CssNode) {
      if (node.type !== "Rule" && node.type !== "Atrule") return;
      const own = declared.get(node) ?? nothing;
      declared.delete(node);
      if (node.type === "Atrule") return takeAtRule(node, own, notes);
      notes.rules += 1;
      const isStep = this.atrule?.name.endsWith("keyframes") === true;
      if (!isStep) takeRule(node, own, isStill(this.atrule), notes);
    },
  });
}

function take({ property, value }: Declaration): { property: string; value: string } {
  return { property: property.slice(0, longestName), value: generate(value).slice(0, longestValue).trim() };
}

function takeAtRule(node: Atrule, declared: Declarations, notes: Notes): void {
  const prelude = node.prelude === null ? "" : generate(node.prelude).slice(0, 200).trim();
  const { mediaQueries } = notes;
  if (node.name === "media" && mediaQueries.length < 200 && !mediaQueries.includes(prelude)) mediaQueries.push(prelude);
  if (node.name === "container") notes.features = { ...notes.features, container: 1 };
  if (node.name === "font-face" && node.block !== null && notes.fontFaces.length < 100) {
    notes.fontFaces.push({
      family: (declared.get("font-family") ?? "").replace(/["']/g, "").slice(0, longestName),
      display: (declared.get("font-display") ?? "").slice(0, longestName),
    });
  }
  if (node.name.endsWith("keyframes") && node.block !== null && notes.keyframes.length < 500) {
    const properties = [...declared.keys()].slice(0, 30);
    notes.keyframes.push({ name: prelude.slice(0, longestName), steps: node.block.children.size, properties });
  }
}

function isStill(around: Atrule | null): boolean {
  return around?.name === "media" && around.prelude !== null && isForStill(generate(around.prelude).slice(0, 200));
}

function takeRule(rule: Rule, declared: Declarations, isInStill: boolean, notes: Notes): void {
  const selector = generate(rule.prelude).slice(0, 200);
  if (!isInStill && notes.animations.length + notes.transitions.length < maxNotes) {
    notes.animations.push(...toMotions(selector, "animation", declared));
    notes.transitions.push(...toMotions(selector, "transition", declared));
  }
  const state = stateOf(selector);
  if (state !== undefined && notes.states.length < maxNotes) {
    notes.states.push({ selector, state, properties: [...declared.keys()].slice(0, 20) });
  }
  for (const [name, value] of declared) {
    if (name.startsWith("--") && notes.variables.length < 1_000)
      notes.variables.push({ name, value: value.slice(0, 200), scope: selector });
    if (notes.math.length < 100 && doesMath(value))
      notes.math.push({ property: name, selector, text: value.slice(0, 200) });
    if (notes.functions.length < 100) notes.functions.push(...mathIn(value));
  }
}

/** Reads the shorthand, or the parts when there is none. */
function toMotions(selector: string, prefix: "animation" | "transition", declared: Declarations): DeclaredMotion[] {
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
        isUsed: true,
      };
    })
    .filter(({ property }) => property !== "");
}
