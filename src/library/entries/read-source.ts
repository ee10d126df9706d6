import type { Declarations, SectionSource, SourceElement } from "../../kinds/page/contract.ts";

/** An element with what it looks like at the widest size. */
export interface StyledElement {
  readonly element: SourceElement;
  readonly style: Declarations;
}

export function listElements({ root, styles }: SectionSource): StyledElement[] {
  const found: StyledElement[] = [];
  const visit = (element: SourceElement): void => {
    found.push({ element, style: styles[element.style]?.base ?? {} });
    for (const child of element.children) if (typeof child !== "string") visit(child);
  };
  visit(root);
  return found;
}

/** All words of an element, in one line. */
export function textOf(element: SourceElement): string {
  const parts: string[] = [];
  const visit = ({ tag, attributes, children }: SourceElement): void => {
    for (const child of children) {
      if (typeof child === "string") parts.push(child.trim());
      else visit(child);
    }
    if (tag === "img") parts.push(attributes["alt"] ?? "");
  };
  visit(element);
  return parts.filter((part) => part !== "").join(" ");
}

/** The colours that a CSS value names, as `#rrggbb`; what can be seen through counts as its colour. */
export function colorsIn(value: string): string[] {
  const rgb = [...value.matchAll(/rgba?\(\s*(\d+)[\s,]+(\d+)[\s,]+(\d+)(?:[\s,/]+([\d.]+%?))?\s*\)/g)];
  const computed = rgb.flatMap(([, red = "0", green = "0", blue = "0", alpha = "1"]) =>
    Number.parseFloat(alpha) === 0 ? [] : [`#${[red, green, blue].map(toHexPair).join("")}`],
  );
  return [...computed, ...(value.match(/#[0-9a-f]{6}\b/gi) ?? []).map((hex) => hex.toLowerCase())];
}

function toHexPair(part: string): string {
  return Math.min(255, Number(part)).toString(16).padStart(2, "0");
}

export function pixels(value: string | undefined): number {
  return value?.endsWith("px") === true ? Number.parseFloat(value) : 0;
}
