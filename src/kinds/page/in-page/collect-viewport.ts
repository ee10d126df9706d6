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
  readonly runningText: NonNullable<ViewportResult["runningText"]> | null;
  readonly images: NonNullable<ViewportResult["images"]>;
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
  ownTextOf,
  readRunningText,
  countImages,
];

export function collectViewport(maxElements: number): ViewportFacts {
  const root = document.documentElement;
  const width = root.clientWidth;
  const pageWidth = Math.max(root.scrollWidth, document.body?.scrollWidth ?? 0);
  const elements: Record<string, ElementAtSize> = {};
  const overflowing: { selector: string; by: number }[] = [];
  const smallTargets: SmallTarget[] = [];
  const visible: Element[] = [];
  let targets = 0;
  let smallestText = Infinity;
  for (const element of [...(document.body?.getElementsByTagName("*") ?? [])].slice(0, maxElements)) {
    const style = getComputedStyle(element);
    const isVisible = isShownNow(element);
    if (isWorthComparing(element, style)) elements[pathOf(element)] = elementAtSize(element, style, isVisible);
    if (!isVisible) continue;
    visible.push(element);
    const { right } = element.getBoundingClientRect();
    if (pageWidth > width + 1 && right > width + 1 && overflowing.length < 20 && !clipsOverflow(element)) {
      overflowing.push({ selector: shortName(element), by: Math.round(right - width) });
    }
    if (ownTextOf(element) !== "") smallestText = Math.min(smallestText, Number.parseFloat(style.fontSize));
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
    runningText: readRunningText(visible),
    images: countImages(visible),
  };
}

function isShownNow(element: Element): boolean {
  const isShown = element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  return isShown && element.getBoundingClientRect().width > 0;
}

function ownTextOf(element: Element): string {
  const texts = [...element.childNodes].filter(({ nodeType }) => nodeType === Node.TEXT_NODE);
  return texts
    .map(({ textContent }) => textContent ?? "")
    .join("")
    .trim();
}

/** Of texts that can fill a line how many characters one has, and how high it is, in sizes of its letters; on average. */
function readRunningText(elements: readonly Element[]): ViewportFacts["runningText"] {
  const lines = elements.flatMap((element) => {
    const { length } = ownTextOf(element);
    if (length < 40) return [];
    const { fontSize, lineHeight } = getComputedStyle(element);
    const size = Number.parseFloat(fontSize);
    // Letters are about half as wide as they are high, and a line without a height of its own about a fifth higher than they.
    const fitting = element.getBoundingClientRect().width / (size / 2);
    return [{ characters: Math.min(length, fitting), height: (Number.parseFloat(lineHeight) || size * 1.2) / size }];
  });
  if (lines.length === 0) return null;
  const average = (of: "characters" | "height"): number =>
    Math.round((10 * lines.reduce((sum, line) => sum + line[of], 0)) / lines.length) / 10;
  return { characters: average("characters"), height: average("height") };
}

/** Those that are more than icons, and of them those that offer a window a file of its size. */
function countImages(elements: readonly Element[]): ViewportFacts["images"] {
  const images = elements.filter((element) => {
    const { width, height } = element.getBoundingClientRect();
    return element.localName === "img" && width > 50 && height > 50;
  });
  const adaptive = images.filter(
    (image) => (image.getAttribute("srcset") ?? "") !== "" || image.closest("picture") !== null,
  );
  return { count: images.length, adaptive: adaptive.length };
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
