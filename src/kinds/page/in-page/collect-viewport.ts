/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import type { ViewportResult } from "../responsive.ts";

/** The page at one size of the window. */
export interface ViewportFacts {
  readonly width: number;
  readonly pageWidth: number;
  readonly pageHeight: number;
  readonly overflowing: readonly { readonly selector: string; readonly by: number }[];
  readonly smallTargets: readonly SmallTarget[];
  readonly targets: number;
  /** By path, so that the same element is found again at another size. */
  readonly elements: Readonly<Record<string, ElementAtSize>>;
  readonly navigation: { readonly style: string; readonly visibleLinks: number; readonly hasToggle: boolean };
  readonly bodySize: number;
  readonly headingSize: number;
  readonly smallestText: number;
}

type SmallTarget = ViewportResult["smallTargets"]["examples"][number];

export interface ElementAtSize {
  readonly label: string;
  readonly isVisible: boolean;
  readonly columns: number;
  readonly direction: string;
  readonly size: number;
}

export const viewportFunctions = [
  collectViewport,
  isShownNow,
  shortName,
  pathOf,
  clipsOverflow,
  columnsNow,
  elementAtSize,
  isWorthComparing,
  smallTargetOf,
  readNavigation,
  fontSizeOf,
  hasOwnText,
];

export function collectViewport(maxElements: number): ViewportFacts {
  const root = document.documentElement;
  const width = root.clientWidth;
  const pageWidth = Math.max(root.scrollWidth, document.body?.scrollWidth ?? 0);
  const elements: Record<string, ElementAtSize> = {};
  const overflowing: { selector: string; by: number }[] = [];
  const smallTargets: SmallTarget[] = [];
  let targets = 0;
  let smallestText = Infinity;
  for (const element of [...(document.body?.getElementsByTagName("*") ?? [])].slice(0, maxElements)) {
    const style = getComputedStyle(element);
    const isVisible = isShownNow(element);
    if (isWorthComparing(element, style)) elements[pathOf(element)] = elementAtSize(element, style, isVisible);
    if (!isVisible) continue;
    const { right } = element.getBoundingClientRect();
    if (pageWidth > width + 1 && right > width + 1 && overflowing.length < 20 && !clipsOverflow(element)) {
      overflowing.push({ selector: shortName(element), by: Math.round(right - width) });
    }
    if (hasOwnText(element)) smallestText = Math.min(smallestText, Number.parseFloat(style.fontSize));
    if (!element.matches("a[href], button, input:not([type=hidden]), select, textarea, [role=button], summary"))
      continue;
    targets += 1;
    const small = smallTargetOf(element, style);
    if (small !== undefined && smallTargets.length < 100) smallTargets.push(small);
  }
  return {
    width,
    pageWidth,
    pageHeight: root.scrollHeight,
    overflowing,
    smallTargets,
    targets,
    elements,
    navigation: readNavigation(),
    bodySize: fontSizeOf("p"),
    headingSize: fontSizeOf("h1"),
    smallestText: Number.isFinite(smallestText) ? smallestText : 0,
  };
}

function isShownNow(element: Element): boolean {
  const isShown = element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  return isShown && element.getBoundingClientRect().width > 0;
}

function hasOwnText(element: Element): boolean {
  return [...element.childNodes].some(
    ({ nodeType, textContent }) => nodeType === Node.TEXT_NODE && (textContent ?? "").trim() !== "",
  );
}

function shortName(element: Element): string {
  if (/^[A-Za-z][\w-]{0,60}$/.test(element.id)) return `#${element.id}`;
  const [first] = element.classList;
  return first !== undefined && /^[\w-]{1,40}$/.test(first) ? `${element.localName}.${first}` : element.localName;
}

function pathOf(element: Element): string {
  const steps: number[] = [];
  for (let at: Element | null = element; at !== null && at !== document.body; at = at.parentElement) {
    steps.unshift([...(at.parentElement?.children ?? [])].indexOf(at));
  }
  return steps.join("/");
}

/** Something around it cuts it off or scrolls, so it does not widen the page. */
function clipsOverflow(element: Element): boolean {
  for (let at = element.parentElement; at !== null && at !== document.body; at = at.parentElement) {
    if (/auto|scroll|hidden|clip/.test(getComputedStyle(at).overflowX)) return true;
  }
  return false;
}

function isWorthComparing(element: Element, style: CSSStyleDeclaration): boolean {
  if (
    /^(header|nav|main|section|article|aside|footer|h[1-3]|img|form|button|ul|table|video)$/.test(element.localName)
  ) {
    return true;
  }
  return element.id !== "" || (/grid|flex/.test(style.display) && element.children.length > 1);
}

function elementAtSize(element: Element, style: CSSStyleDeclaration, isVisible: boolean): ElementAtSize {
  return {
    label: shortName(element),
    isVisible,
    columns: isVisible ? columnsNow(element, style) : 0,
    direction: style.display.endsWith("flex") ? style.flexDirection : "",
    size: /^h[1-6]$/.test(element.localName) ? Number.parseFloat(style.fontSize) : 0,
  };
}

function columnsNow(element: Element, style: CSSStyleDeclaration): number {
  if (style.display.endsWith("grid")) {
    // Tracks that nothing stands in collapse.
    return Math.max(1, style.gridTemplateColumns.split(/\s+(?![^(]*\))/).filter((track) => track !== "0px").length);
  }
  if (!style.display.endsWith("flex")) return 0;
  const rows = new Map<number, number>();
  for (const child of [...element.children].filter(isShownNow)) {
    const row = Math.round(child.getBoundingClientRect().top / 8);
    rows.set(row, (rows.get(row) ?? 0) + 1);
  }
  return Math.max(0, ...rows.values());
}

/** WCAG 2.2 wants 24 pixels each way. A link within a sentence is as high as its line, and excepted. */
function smallTargetOf(element: Element, style: CSSStyleDeclaration): SmallTarget | undefined {
  const { width, height } = element.getBoundingClientRect();
  const text = (element.textContent ?? "").trim();
  const around = (element.parentElement?.textContent ?? "").trim();
  const isInText = element.localName === "a" && style.display === "inline" && around.length > text.length + 10;
  if (isInText || (width >= 24 && height >= 24)) return undefined;
  return {
    selector: shortName(element),
    width: Math.round(width),
    height: Math.round(height),
    text: text.slice(0, 50),
  };
}

function readNavigation(): ViewportFacts["navigation"] {
  const toggles =
    'button[aria-expanded], button[aria-controls], [class*="hamburger" i], [class*="menu-toggle" i], [class*="navbar-toggler" i], [class*="nav-toggle" i], [aria-label*="menu" i]';
  const nav = document.querySelector("nav, [role=navigation], header");
  const hasToggle = [...document.querySelectorAll(toggles)].some(isShownNow);
  const links = [...(nav?.querySelectorAll("a[href]") ?? [])].filter(isShownNow);
  const rows = new Set(links.map((link) => Math.round(link.getBoundingClientRect().top / 8)));
  const told = { visibleLinks: links.length, hasToggle };
  if (nav === null) return { style: "none", ...told };
  const isBelow = getComputedStyle(nav).position === "fixed" && nav.getBoundingClientRect().top > innerHeight / 2;
  if (isBelow) return { style: "bottom", ...told };
  if (hasToggle && links.length < 3) return { style: "hamburger", ...told };
  return { style: links.length === 0 ? "hidden" : rows.size <= 2 ? "horizontal" : "vertical", ...told };
}

function fontSizeOf(selector: string): number {
  return Number.parseFloat(getComputedStyle(document.querySelector(selector) ?? document.documentElement).fontSize);
}
