/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import type { Declarations, RawSource, SourceElement, SourceNode } from "../sources/section-source.ts";

export const sourceFunctions = [
  collectSources,
  restyleSources,
  findTarget,
  copyElement,
  copyAttributes,
  readStyle,
  plainStyle,
  backgroundBehind,
  inheritedProperties,
  ownProperties,
];

/** A section to look for: where it was when the page was analysed. */
export interface SourceTarget {
  readonly id: string;
  readonly selector: string;
  readonly top: number;
}

interface Copying {
  readonly elements: Element[];
  readonly max: number;
  isCut: boolean;
}

/** The world of the analysis, in which the elements are remembered until their styles are read again. */
interface SourceWorld {
  longhaulSources?: Element[][];
}

/** The sections' elements, and what each looks like now. */
export function collectSources(targets: readonly SourceTarget[], maxElements: number): RawSource[] {
  const world = globalThis as SourceWorld;
  const remembered: Element[][] = [];
  world.longhaulSources = remembered;
  let left = maxElements;
  const found = targets.flatMap((target) => {
    const element = left > 0 ? findTarget(target) : undefined;
    if (element === undefined) return [];
    const copying: Copying = { elements: [], max: Math.min(left, 400), isCut: false };
    const root = copyElement(element, copying);
    left -= copying.elements.length;
    remembered.push(copying.elements);
    return [{ section: target.id, root, isCut: copying.isCut }];
  });
  const styles = restyleSources();
  return found.map((source, index) => ({ ...source, styles: styles[index] ?? [] }));
}

/** What the remembered elements look like now. */
export function restyleSources(): Declarations[][] {
  const host = document.createElement("div");
  host.style.cssText = "all: initial; position: absolute; opacity: 0";
  const shadow = host.attachShadow({ mode: "closed" });
  document.documentElement.append(host);
  const plain = new Map<string, Declarations>();
  const inherited = inheritedProperties();
  const own = ownProperties();
  const all = [...inherited, ...own];
  const initial = plainStyle("span", "", shadow, all, plain);
  const styles = ((globalThis as SourceWorld).longhaulSources ?? []).map((elements) => {
    const values = new Map<Element, Declarations>();
    return elements.map((element, index) => {
      const actual = readStyle(element, all);
      values.set(element, actual);
      const parent = element.parentElement === null ? undefined : values.get(element.parentElement);
      const type = element.localName === "input" ? (element.getAttribute("type") ?? "") : "";
      const usual = plainStyle(element.localName, type, shadow, all, plain);
      const declared: Record<string, string> = {};
      for (const name of all) {
        const isInherited = inherited.includes(name) && usual[name] === initial[name];
        const expected = isInherited && parent !== undefined ? parent[name] : usual[name];
        const value = actual[name];
        if (value !== undefined && value !== "" && value !== expected) declared[name] = value;
      }
      // The colour of a border that is not there is the text's, and of no interest.
      for (const side of ["top", "right", "bottom", "left"]) {
        if (actual[`border-${side}-style`] === "none") delete declared[`border-${side}-color`];
      }
      if (index === 0 && actual["background-color"] === "rgba(0, 0, 0, 0)") {
        const behind = backgroundBehind(element);
        if (behind !== "") declared["background-color"] = behind;
      }
      return declared;
    });
  });
  host.remove();
  return styles;
}

/** Of several elements that the selector names, the one that lies where the section was. */
function findTarget({ selector, top }: SourceTarget): Element | undefined {
  let candidates: Element[] = [];
  try {
    candidates = [...document.querySelectorAll(selector)].slice(0, 50);
  } catch {
    return undefined;
  }
  const away = (element: Element): number => Math.abs(element.getBoundingClientRect().top + scrollY - top);
  let best = candidates[0];
  for (const candidate of candidates) if (best !== undefined && away(candidate) < away(best)) best = candidate;
  return best;
}

function copyElement(element: Element, copying: Copying): SourceElement {
  const style = copying.elements.push(element) - 1;
  const children: SourceNode[] = [];
  const isLeftOut =
    /^(script|style|link|meta|base|noscript|template|iframe|frame|object|embed|applet|portal|foreignobject)$/i;
  const isKept = getComputedStyle(element).whiteSpace.startsWith("pre");
  for (const child of element.childNodes) {
    if (child.nodeType === 3) {
      const raw = child.nodeValue ?? "";
      const text = isKept ? raw : raw.replace(/\s+/g, " ");
      if (text !== "" && !(text === " " && children.length === 0)) children.push(text.slice(0, 5_000));
    } else if (child instanceof Element && !isLeftOut.test(child.localName)) {
      if (copying.elements.length >= copying.max) copying.isCut = true;
      else children.push(copyElement(child, copying));
    }
  }
  return { tag: element.localName, attributes: copyAttributes(element), style, children };
}

function copyAttributes(element: Element): Record<string, string> {
  const attributes: Record<string, string> = {};
  for (const { name, value } of [...element.attributes].slice(0, 40)) {
    if (/^(class|style|srcset|sizes|on.*|data-.*)$/i.test(name)) continue;
    attributes[name] = value.slice(0, 4_000);
  }
  if (element instanceof HTMLImageElement) attributes["src"] = (element.currentSrc || element.src).slice(0, 4_000);
  for (const name of ["href", "src", "poster"]) {
    const value = attributes[name];
    if (value === undefined || value.startsWith("#")) continue;
    try {
      attributes[name] = new URL(value, document.baseURI).href;
    } catch {
      delete attributes[name];
    }
  }
  return attributes;
}

/** As the style sheets have computed it: an automatic width stays one, and fractions of a grid stay fractions. */
function readStyle(element: Element, names: readonly string[]): Declarations {
  const map = element.computedStyleMap();
  const values: Record<string, string> = {};
  for (const name of names) {
    try {
      values[name] = (map.get(name)?.toString() ?? "").slice(0, 4_000);
    } catch {
      // This browser does not know the property.
    }
  }
  return values;
}

/** What an element looks like that no style sheet of the page reaches. */
function plainStyle(
  tag: string,
  type: string,
  shadow: ShadowRoot,
  names: readonly string[],
  known: Map<string, Declarations>,
): Declarations {
  const key = `${tag} ${type}`;
  const before = known.get(key);
  if (before !== undefined) return before;
  const isPlain = /^[a-z][a-z0-9]*$/.test(tag);
  const element = document.createElement(isPlain ? tag : "span");
  if (type !== "") element.setAttribute("type", type);
  shadow.append(element);
  const style = readStyle(element, names);
  element.remove();
  known.set(key, style);
  return style;
}

/** The colour that shows through. */
function backgroundBehind(element: Element): string {
  for (let at = element.parentElement; at !== null; at = at.parentElement) {
    const color = getComputedStyle(at).backgroundColor;
    if (color !== "rgba(0, 0, 0, 0)") return color;
  }
  return "";
}

function inheritedProperties(): string[] {
  return (
    "color font-family font-size font-weight font-style line-height letter-spacing word-spacing text-align text-indent " +
    "text-transform white-space-collapse text-wrap-mode list-style-type visibility cursor border-collapse direction fill stroke stroke-width"
  ).split(" ");
}

function ownProperties(): string[] {
  const sides = ["top", "right", "bottom", "left"];
  const corners = ["top-left", "top-right", "bottom-right", "bottom-left"];
  return [
    ...(
      "display position top right bottom left z-index float clear box-sizing width height min-width min-height max-width max-height " +
      "background-color background-image background-size background-position-x background-position-y background-repeat background-clip " +
      "box-shadow opacity transform overflow-x overflow-y flex-direction flex-wrap justify-content align-items align-content " +
      "align-self justify-self justify-items flex-grow flex-shrink flex-basis order row-gap column-gap column-count " +
      "grid-template-columns grid-template-rows grid-auto-flow grid-column-start grid-column-end grid-row-start grid-row-end " +
      "object-fit object-position aspect-ratio text-decoration-line vertical-align filter backdrop-filter text-overflow " +
      "transition-property transition-duration animation-name animation-duration"
    ).split(" "),
    ...sides.flatMap((side) => [`margin-${side}`, `padding-${side}`]),
    ...sides.flatMap((side) => ["width", "style", "color"].map((part) => `border-${side}-${part}`)),
    ...corners.map((corner) => `border-${corner}-radius`),
  ];
}
