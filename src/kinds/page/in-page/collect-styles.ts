/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import type { ContainerFacts, StyleFacts, TextStyle } from "../facts.ts";
import type { Kit, Seen } from "./kit.ts";

/** What the page looks like: text, colours, gradients, grids. */
export function collectStyles(kit: Kit): StyleFacts {
  const texts = new Map<string, { style: TextStyle; characters: number }>();
  const backgrounds = new Map<string, number>();
  const borders = new Map<string, number>();
  const gradients = new Map<string, { value: string; selector: string; area: number }>();
  const kinds: Record<string, number> = {};
  const containers: ContainerFacts[] = [];
  const radii = new Set<number>();
  const shadows = new Set<string>();
  const add = (map: Map<string, number>, key: string, value: number): void =>
    void map.set(key, (map.get(key) ?? 0) + value);

  const backgroundBehind = (element: Element): string => {
    for (let at: Element | null = element; at !== null; at = at.parentElement) {
      const { style } = kit.look(at);
      if (style.backgroundImage !== "none") return "";
      const color = kit.hex(style.backgroundColor);
      if (color.length === 7) return color;
    }
    return "#ffffff";
  };
  const takeText = ({ element, style }: Seen): void => {
    let characters = 0;
    for (const node of element.childNodes)
      if (node.nodeType === 3) characters += (node.textContent ?? "").trim().length;
    if (characters === 0) return;
    const color = kit.hex(style.color);
    const key = [style.fontFamily, style.fontSize, style.fontWeight, color].join("|");
    const before = texts.get(key);
    if (before !== undefined) {
      before.characters += characters;
      return;
    }
    const size = Number.parseFloat(style.fontSize);
    const lineHeight = Number.parseFloat(style.lineHeight) / size;
    texts.set(key, {
      characters,
      style: {
        family: style.fontFamily.slice(0, 300),
        size,
        weight: Number(style.fontWeight),
        lineHeight: Number.isFinite(lineHeight) ? Math.round(lineHeight * 100) / 100 : 0,
        color,
        background: backgroundBehind(element),
        characters: 0,
        selector: kit.selectorOf(element),
        isHeading: /^h[1-6]$/.test(element.localName),
      },
    });
  };
  const takeBackground = ({ element, style, rect }: Seen): void => {
    const area = Math.round(rect.width * rect.height);
    const color = kit.hex(style.backgroundColor);
    const image = style.backgroundImage;
    if (color !== "") add(backgrounds, color, area);
    if (image !== "none") {
      for (const value of image.match(/(?:repeating-)?(?:linear|radial|conic)-gradient\((?:[^()]|\([^()]*\))*\)/g) ??
        []) {
        const known = gradients.get(value);
        if (known === undefined)
          gradients.set(value, { value: value.slice(0, 300), selector: kit.selectorOf(element), area });
        else known.area += area;
      }
      const kind =
        image.split(/,(?![^(]*\))/).length > 2
          ? "multi_layer"
          : (/(linear|radial|conic)-gradient/.exec(image)?.[0].replace("-", "_") ??
            (image.includes(".svg") ? "svg" : "image"));
      kinds[kind] = (kinds[kind] ?? 0) + 1;
    } else if (color !== "") kinds["solid"] = (kinds["solid"] ?? 0) + 1;
    if (style.backdropFilter !== "none" && style.backdropFilter !== "") kinds["glass"] = (kinds["glass"] ?? 0) + 1;
  };
  const takeContainer = ({ element, style, rect }: Seen): void => {
    const display = style.display.replace("inline-", "");
    if ((display !== "grid" && display !== "flex") || element.children.length < 2 || containers.length >= 300) return;
    const tops = [...element.children].slice(0, 50).map((child) => Math.round(kit.look(child).rect.top / 8));
    const rows = new Map<number, number>();
    for (const top of tops) rows.set(top, (rows.get(top) ?? 0) + 1);
    const columns =
      display === "grid" ? style.gridTemplateColumns.split(/\s+(?![^(]*\))/).length : Math.max(...rows.values());
    const gap = Number.parseFloat(style.columnGap);
    containers.push({
      selector: kit.selectorOf(element),
      display,
      columns,
      gap: Number.isFinite(gap) ? gap : 0,
      children: element.children.length,
      width: Math.round(rect.width),
      template: display === "grid" ? style.gridTemplateColumns.slice(0, 120) : style.flexDirection,
    });
  };
  const body = document.body === null ? [] : [kit.look(document.documentElement), kit.look(document.body)];
  for (const seen of [...body, ...kit.seen]) {
    if (!seen.isVisible) continue;
    takeText(seen);
    takeBackground(seen);
    takeContainer(seen);
    if (seen.style.borderTopStyle !== "none" && seen.style.borderTopWidth !== "0px")
      add(borders, kit.hex(seen.style.borderTopColor), 1);
    const radius = Number.parseFloat(seen.style.borderTopLeftRadius);
    if (radius > 0) radii.add(Math.round(radius));
    if (seen.style.boxShadow !== "none") shadows.add(seen.style.boxShadow.slice(0, 150));
  }
  return {
    texts: [...texts.values()]
      .map(({ style, characters }) => ({ ...style, characters }))
      .toSorted((a, b) => b.characters - a.characters)
      .slice(0, 80),
    backgrounds: [...backgrounds]
      .map(([color, area]) => ({ color, area }))
      .toSorted((a, b) => b.area - a.area)
      .slice(0, 60),
    borders: [...borders]
      .map(([color, count]) => ({ color, count }))
      .filter(({ color }) => color !== "")
      .slice(0, 30),
    gradients: [...gradients.values()].toSorted((a, b) => b.area - a.area).slice(0, 30),
    backgroundKinds: kinds,
    containers,
    radii: [...radii].slice(0, 30),
    shadows: [...shadows].slice(0, 30),
  };
}
