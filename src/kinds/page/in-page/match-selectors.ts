/// <reference lib="dom" />
/// <reference lib="dom.iterable" />

export const matchFunctions = [createMatcher, wholeSelector, restingSelector, endOfStep, restingPseudo, endOfGroup];

/** Whether a rule is for anything that the page has. Looking takes so long at most; what is left then counts as used. */
export function createMatcher(maxMs: number): (rule: CSSStyleRule) => boolean {
  const known = new Map<string, boolean>();
  let spentMs = 0;
  return (rule) => {
    const selector = wholeSelector(rule, 0);
    const before = known.get(selector);
    if (before !== undefined) return before;
    if (spentMs > maxMs || selector.length > 20_000) return true;
    const startedAt = performance.now();
    let isMatched = true;
    try {
      isMatched = document.querySelector(restingSelector(selector)) !== null;
    } catch {
      // What this browser cannot look for may be there.
    }
    spentMs += performance.now() - startedAt;
    known.set(selector, isMatched);
    return isMatched;
  };
}

/** With what the rules around it say, where rules are nested. */
function wholeSelector(rule: CSSStyleRule, depth: number): string {
  let around = rule.parentRule;
  while (around !== null && !(around instanceof CSSStyleRule)) around = around.parentRule;
  if (around === null || depth > 4) return rule.selectorText;
  const parent = `:is(${wholeSelector(around, depth + 1)})`;
  const own = rule.selectorText;
  return own.includes("&") ? own.replaceAll("&", parent) : `${parent} ${own}`;
}

/**
 * What a selector matches when nobody points at, clicks or types into anything: without the pseudo-classes for what people do, and
 * without pseudo-elements, which are no elements of the document. `a:hover > b::after` becomes `a > b`.
 */
export function restingSelector(selector: string, depth = 0): string {
  let kept = "";
  let isCompoundEmpty = true;
  let wasCut = false;
  /** What is left of `a > :hover` is `a > *`. */
  const endCompound = (): void => {
    if (isCompoundEmpty && wasCut) kept += "*";
    isCompoundEmpty = true;
    wasCut = false;
  };
  let at = 0;
  while (at < selector.length) {
    const sign = selector[at] ?? "";
    // White space before a combinator is no combinator itself.
    const gap = /^[\s>+~,]+/.exec(selector.slice(at, at + 60))?.[0];
    if (gap !== undefined) endCompound();
    const end = gap === undefined ? endOfStep(selector, at) : at + gap.length;
    const step = selector.slice(at, end);
    const resting = sign === ":" ? restingPseudo(step, depth) : step;
    kept += resting;
    if (resting === "") wasCut = true;
    else if (gap === undefined) isCompoundEmpty = false;
    at = end;
  }
  endCompound();
  return kept;
}

/** Behind the character, the escaped one, the brackets, or the pseudo-class with what it is given. */
function endOfStep(selector: string, at: number): number {
  const sign = selector[at] ?? "";
  if (sign === "\\") return at + 2;
  if (sign === "[" || sign === "(") return endOfGroup(selector, at);
  if (sign !== ":") return at + 1;
  const after = at + (/^::?[\w-]*/.exec(selector.slice(at, at + 60))?.[0].length ?? 1);
  return selector[after] === "(" ? endOfGroup(selector, after) : after;
}

/** Empty for a state and for a pseudo-element. */
function restingPseudo(step: string, depth: number): string {
  const states =
    /^(hover|active|focus|focus-visible|focus-within|visited|target|target-within|checked|indeterminate|disabled|placeholder-shown|autofill|-webkit-autofill|valid|invalid|user-valid|user-invalid|open|popover-open|modal|fullscreen|playing|paused|state|active-view-transition|active-view-transition-type)$/;
  const oldElements = /^(before|after|first-line|first-letter)$/;
  const name = /^::?[\w-]*/.exec(step)?.[0] ?? step;
  const word = name.replace(/^::?/, "").toLowerCase();
  if (name.startsWith("::") || oldElements.test(word) || states.test(word)) return "";
  if (!/^(not|is|where|has|matches|-webkit-any|-moz-any)$/.test(word) || depth > 4) return step;
  const inner = step.slice(name.length + 1, -1);
  const resting = restingSelector(inner, depth + 1);
  // Who is not pointed at is everybody.
  return word === "not" && resting !== inner ? "" : `${name}(${resting})`;
}

/** Behind the bracket that closes the one here. */
export function endOfGroup(text: string, start: number): number {
  let depth = 0;
  let quote = "";
  for (let at = start; at < text.length; at++) {
    const sign = text[at] ?? "";
    if (sign === "\\") at += 1;
    else if (quote !== "") quote = sign === quote ? "" : quote;
    else if (sign === '"' || sign === "'") quote = sign;
    else if (sign === "(" || sign === "[") depth += 1;
    else if ((sign === ")" || sign === "]") && --depth === 0) return at + 1;
  }
  return text.length;
}
