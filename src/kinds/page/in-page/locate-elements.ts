/// <reference lib="dom" />
/// <reference lib="dom.iterable" />

export interface Located {
  readonly selector: string;
  readonly snippet: string;
  /** In pixels of the page, from its top left corner; null where the element is not shown. */
  readonly box: { readonly x: number; readonly y: number; readonly width: number; readonly height: number } | null;
}

export const locateFunctions = [locateElements, snippetOf];

/** What the selectors find; what they find no more is left out. */
export function locateElements(selectors: readonly string[]): Located[] {
  return selectors.flatMap((selector) => {
    try {
      const element = document.querySelector(selector);
      if (element === null) return [];
      const { left, top, width, height } = element.getBoundingClientRect();
      const { round } = Math;
      const box = { x: round(left + scrollX), y: round(top + scrollY), width: round(width), height: round(height) };
      return [{ selector, snippet: snippetOf(element), box: width > 0 && height > 0 ? box : null }];
    } catch {
      // Not every selector that others make is one.
      return [];
    }
  });
}

/** The element's own tag, and the beginning of its text. */
function snippetOf(element: Element): string {
  const attributes = element.getAttributeNames().map((name) => {
    const value = element.getAttribute(name) ?? "";
    return `${name}="${value.length > 60 ? `${value.slice(0, 60)}…` : value}"`;
  });
  const tag = `<${[element.localName, ...attributes.slice(0, 10)].join(" ")}>`.slice(0, 300);
  const text = (element.textContent ?? "").slice(0, 400).replace(/\s+/g, " ").trim().slice(0, 80);
  return `${tag}${text}`;
}
