/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import type { StyleFacts, TextStyle } from "../facts.ts";
import type { Kit, Seen } from "./kit.ts";

export const styleFunctions = [
  collectStyles,
  collectTexts,
  ownTextLength,
  describeText,
  backgroundBehind,
  collectBackgrounds,
  backgroundKind,
  collectContainers,
  columnsOf,
  addUp,
];

/** What the page looks like: text, colours, gradients, grids. */
export function collectStyles(kit: Kit): StyleFacts {
  const roots = document.body === null ? [] : [kit.look(document.documentElement), kit.look(document.body)];
  const visible = [...roots, ...kit.seen].filter(({ isVisible }) => isVisible);
  const borders = new Map<string, number>();
  const radii = new Set<number>();
  const shadows = new Set<string>();
  for (const { style } of visible) {
    const border = style.borderTopStyle === "none" ? "" : kit.hex(style.borderTopColor);
    if (border !== "" && style.borderTopWidth !== "0px") addUp(borders, border, 1);
    const radius = Number.parseFloat(style.borderTopLeftRadius);
    if (radius > 0) radii.add(Math.round(radius));
    if (style.boxShadow !== "none") shadows.add(style.boxShadow.slice(0, 150));
  }
  return {
    texts: collectTexts(visible, kit),
    ...collectBackgrounds(visible, kit),
    borders: [...borders].map(([color, count]) => ({ color, count })).slice(0, 30),
    containers: collectContainers(visible, kit),
    radii: [...radii].slice(0, 30),
    shadows: [...shadows].slice(0, 30),
  };
}

function collectTexts(visible: readonly Seen[], kit: Kit): TextStyle[] {
  const texts = new Map<string, { seen: Seen; characters: number }>();
  for (const seen of visible) {
    const characters = ownTextLength(seen.element);
    if (characters === 0) continue;
    const { fontFamily, fontSize, fontWeight, color } = seen.style;
    const key = [fontFamily, fontSize, fontWeight, color].join("|");
    const before = texts.get(key);
    if (before === undefined) texts.set(key, { seen, characters });
    else before.characters += characters;
  }
  return [...texts.values()]
    .toSorted((a, b) => b.characters - a.characters)
    .slice(0, 80)
    .map(({ seen, characters }) => describeText(seen, characters, kit));
}

function ownTextLength(element: Element): number {
  let characters = 0;
  for (const node of element.childNodes) {
    if (node.nodeType === Node.TEXT_NODE) characters += (node.textContent ?? "").trim().length;
  }
  return characters;
}

function describeText({ element, style }: Seen, characters: number, kit: Kit): TextStyle {
  const size = Number.parseFloat(style.fontSize);
  const lineHeight = Number.parseFloat(style.lineHeight) / size;
  return {
    family: style.fontFamily.slice(0, 300),
    size,
    weight: Number(style.fontWeight),
    lineHeight: Number.isFinite(lineHeight) ? Math.round(lineHeight * 100) / 100 : 0,
    color: kit.hex(style.color),
    background: backgroundBehind(element, kit),
    characters,
    selector: kit.selectorOf(element),
    isHeading: /^h[1-6]$/.test(element.localName),
  };
}

/** The colour that an element is drawn on; empty where it is a picture. */
function backgroundBehind(element: Element, kit: Kit): string {
  for (let at: Element | null = element; at !== null; at = at.parentElement) {
    const { style } = kit.look(at);
    if (style.backgroundImage !== "none") return "";
    const color = kit.hex(style.backgroundColor);
    if (color.length === 7) return color;
  }
  return "#ffffff";
}

function collectBackgrounds(
  visible: readonly Seen[],
  kit: Kit,
): Pick<StyleFacts, "backgrounds" | "gradients" | "backgroundKinds"> {
  const gradientPattern = /(?:repeating-)?(?:linear|radial|conic)-gradient\((?:[^()]|\([^()]*\))*\)/g;
  const backgrounds = new Map<string, number>();
  const gradients = new Map<string, StyleFacts["gradients"][number]>();
  const kinds: Record<string, number> = {};
  for (const { element, style, rect } of visible) {
    const area = Math.round(rect.width * rect.height);
    const color = kit.hex(style.backgroundColor);
    if (color !== "") addUp(backgrounds, color, area);
    for (const value of style.backgroundImage.match(gradientPattern) ?? []) {
      const known = gradients.get(value);
      const region = {
        x: Math.round(rect.left + scrollX),
        y: Math.round(rect.top + scrollY),
        width: Math.round(rect.width),
        height: Math.round(rect.height),
      };
      gradients.set(
        value,
        known === undefined
          ? { value: value.slice(0, 300), selector: kit.selectorOf(element), area, region }
          : { ...known, area: known.area + area },
      );
    }
    const kind = backgroundKind(style, color);
    if (kind !== "") kinds[kind] = (kinds[kind] ?? 0) + 1;
  }
  return {
    backgrounds: [...backgrounds]
      .map(([color, area]) => ({ color, area }))
      .toSorted((a, b) => b.area - a.area)
      .slice(0, 60),
    gradients: [...gradients.values()].toSorted((a, b) => b.area - a.area).slice(0, 30),
    backgroundKinds: kinds,
  };
}

function backgroundKind(style: CSSStyleDeclaration, color: string): string {
  const image = style.backgroundImage;
  if (style.backdropFilter !== "none" && style.backdropFilter !== "") return "glass";
  if (image === "none") return color === "" ? "" : "solid";
  if (image.split(/,(?![^(]*\))/).length > 2) return "multi_layer";
  const gradient = /(linear|radial|conic)-gradient/.exec(image)?.[1];
  return gradient === undefined ? (image.includes(".svg") ? "svg" : "image") : `${gradient}_gradient`;
}

function collectContainers(visible: readonly Seen[], kit: Kit): StyleFacts["containers"] {
  const containers: StyleFacts["containers"][number][] = [];
  for (const { element, style, rect } of visible) {
    const display = style.display.replace("inline-", "");
    if ((display !== "grid" && display !== "flex") || element.children.length < 2 || containers.length >= 300) continue;
    const gap = Number.parseFloat(style.columnGap);
    containers.push({
      selector: kit.selectorOf(element),
      display,
      columns: columnsOf(element, style, kit),
      gap: Number.isFinite(gap) ? gap : 0,
      children: element.children.length,
      width: Math.round(rect.width),
      template: display === "grid" ? style.gridTemplateColumns.slice(0, 120) : style.flexDirection,
    });
  }
  return containers;
}

/** Columns of a grid are declared; those of flexible boxes are what stands in one row. */
function columnsOf(element: Element, style: CSSStyleDeclaration, kit: Kit): number {
  if (style.display.endsWith("grid")) {
    // Tracks that nothing stands in collapse.
    return Math.max(1, style.gridTemplateColumns.split(/\s+(?![^(]*\))/).filter((track) => track !== "0px").length);
  }
  const rows = new Map<string, number>();
  for (const child of [...element.children].slice(0, 50)) {
    const { rect, isVisible } = kit.look(child);
    if (isVisible) addUp(rows, String(Math.round(rect.top / 8)), 1);
  }
  return Math.max(1, ...rows.values());
}

function addUp(map: Map<string, number>, key: string, value: number): void {
  map.set(key, (map.get(key) ?? 0) + value);
}
