/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import type { Box } from "../facts.ts";

/** An element that was looked at, with what looking at it cost time to find out. */
export interface Seen {
  readonly element: Element;
  readonly style: CSSStyleDeclaration;
  readonly rect: DOMRect;
  readonly isVisible: boolean;
}

/** What the collectors share. Made in the page. */
export interface Kit {
  readonly seen: readonly Seen[];
  readonly total: number;
  readonly look: (element: Element) => Seen;
  readonly selectorOf: (element: Element) => string;
  /** `#rrggbb`, or `#rrggbbaa` where it lets something through; empty for what cannot be seen. */
  readonly hex: (color: string) => string;
  readonly textOf: (element: Element, max: number) => string;
  readonly boxOf: (element: Element) => Box | null;
}

/** The functions of this folder are sent to the page as text, so they see nothing but each other and their arguments. */
export const kitFunctions = [createKit, createLook, createHex, selectorOf, selectorStep, textOf, boxIn];

export function createKit(maxElements: number): Kit {
  const look = createLook();
  const all = document.body === null ? [] : document.body.getElementsByTagName("*");
  const skipped = /^(script|style|template|noscript|br|wbr|source|path|g)$/;
  const seen: Seen[] = [];
  for (let index = 0; index < all.length && seen.length < maxElements; index++) {
    const element = all[index];
    if (element !== undefined && !skipped.test(element.localName)) seen.push(look(element));
  }
  const boxOf = (element: Element): Box | null => boxIn(look(element));
  return { seen, total: document.getElementsByTagName("*").length, look, selectorOf, hex: createHex(), textOf, boxOf };
}

function createLook(): Kit["look"] {
  const known = new Map<Element, Seen>();
  return (element) => {
    const before = known.get(element);
    if (before !== undefined) return before;
    const style = getComputedStyle(element);
    const rect = element.getBoundingClientRect();
    const isShown = style.display !== "none" && style.visibility === "visible" && Number(style.opacity) > 0;
    const found = { element, style, rect, isVisible: isShown && rect.width > 0 && rect.height > 0 };
    known.set(element, found);
    return found;
  };
}

function createHex(): Kit["hex"] {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const known = new Map<string, string>();
  /** Computed colours are mostly written as rgb; any other notation is painted to see what it is. */
  const parts = (color: string): readonly number[] => {
    const plain = /^rgba?\((\d+), (\d+), (\d+)(?:, ([\d.]+))?\)$/.exec(color);
    if (plain !== null) {
      const alpha = plain[4] === undefined ? 255 : Math.round(Number(plain[4]) * 255);
      return [Number(plain[1]), Number(plain[2]), Number(plain[3]), alpha];
    }
    if (canvas === null) return [0, 0, 0, 0];
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = "rgba(0, 0, 0, 0)";
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  return (color) => {
    const before = known.get(color);
    if (before !== undefined) return before;
    const [red = 0, green = 0, blue = 0, alpha = 0] = parts(color);
    const digits = (alpha === 255 ? [red, green, blue] : [red, green, blue, alpha])
      .map((value) => value.toString(16).padStart(2, "0"))
      .join("");
    const text = alpha === 0 ? "" : `#${digits}`;
    known.set(color, text);
    return text;
  };
}

function selectorOf(element: Element): string {
  const steps: string[] = [];
  let at: Element | null = element;
  while (at !== null && at !== document.documentElement && steps.length < 4) {
    if (/^[A-Za-z][\w-]{0,60}$/.test(at.id)) {
      steps.unshift(`#${at.id}`);
      break;
    }
    steps.unshift(selectorStep(at));
    at = at.parentElement;
  }
  return steps.join(" > ");
}

function selectorStep(element: Element): string {
  const tag = element.localName;
  const siblings = [...(element.parentElement?.children ?? [])];
  const [first] = element.classList;
  if (first !== undefined && /^[\w-]{1,40}$/.test(first)) {
    const twins = siblings.filter((sibling) => sibling.classList.contains(first));
    return twins.length < 2 ? `${tag}.${first}` : `${tag}.${first}:nth-child(${siblings.indexOf(element) + 1})`;
  }
  const same = siblings.filter((sibling) => sibling.localName === tag);
  return same.length < 2 ? tag : `${tag}:nth-of-type(${same.indexOf(element) + 1})`;
}

function textOf(element: Element, max: number): string {
  const raw = (element.textContent ?? "").slice(0, max * 4);
  return raw.replace(/\s+/g, " ").trim().slice(0, max);
}

function boxIn({ rect: { left, top, width, height }, isVisible }: Seen): Box | null {
  const [x, y] = [Math.round(left + scrollX), Math.round(top + scrollY)];
  return isVisible ? { x, y, width: Math.round(width), height: Math.round(height) } : null;
}
