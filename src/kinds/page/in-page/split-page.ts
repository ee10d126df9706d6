/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import type { Kit } from "./kit.ts";

/** A part of the page: an element, or siblings in a row that have no element of their own. Its place is in pixels of the page. */
export interface PagePart {
  readonly elements: readonly Element[];
  left: number;
  top: number;
  right: number;
  bottom: number;
}

export const splitFunctions = [
  splitPage,
  splitElement,
  childrenOf,
  extentOf,
  isWorthSplitting,
  isListOfItems,
  isPart,
  isText,
  isLandmark,
  hasPartName,
  keepApart,
  separate,
];

type Extent = Omit<PagePart, "elements">;

interface Split {
  readonly kit: Kit;
  readonly parts: PagePart[];
  readonly extents: Map<Element, Extent | undefined>;
  /** How many elements may still be looked at. */
  left: number;
}

/** Divides the page into parts from its top to its end: as large as they can be while they are of one kind, and none in another. */
export function splitPage(kit: Kit): PagePart[] {
  const split: Split = { kit, parts: [], extents: new Map(), left: 5_000 };
  if (document.body !== null) splitElement(document.body, 0, split);
  return keepApart(split.parts.slice(0, 200));
}

/** Children that stand for themselves are parts, those that hold several are divided, and what lies between is kept together. */
function splitElement(parent: Element, depth: number, split: Split): void {
  const before = split.parts.length;
  const children = childrenOf(parent, split);
  let run: Element[] = [];
  const add = (elements: readonly Element[]): void => {
    const extents = elements.flatMap((element) => extentOf(element, 0, split) ?? []);
    const part = {
      elements,
      left: Math.min(...extents.map(({ left }) => left)),
      top: Math.min(...extents.map(({ top }) => top)),
      right: Math.max(...extents.map(({ right }) => right)),
      bottom: Math.max(...extents.map(({ bottom }) => bottom)),
    };
    if (extents.length > 0) split.parts.push(part);
  };
  const endRun = (): void => {
    if (run.length > 0) add(run);
    run = [];
  };
  for (const child of children) {
    if (isWorthSplitting(child, depth, split)) {
      endRun();
      splitElement(child, depth + 1, split);
    } else if (isPart(child, split)) {
      endRun();
      add([child]);
    } else run.push(child);
  }
  // Nothing in it stands for itself, so it is one part.
  if (split.parts.length === before) add([parent]);
  else endRun();
}

function childrenOf(parent: Element, split: Split): Element[] {
  return [...parent.children].filter((child) => {
    if (/^(script|style|template|noscript|link|br|hr|path|source)$/.test(child.localName)) return false;
    const extent = extentOf(child, 0, split);
    return extent !== undefined && extent.bottom - extent.top >= 8 && extent.right - extent.left >= 8;
  });
}

/** Where an element is seen; undefined where nothing of it is, or where it lies over the page rather than in it. */
function extentOf(element: Element, depth: number, split: Split): Extent | undefined {
  if (split.extents.has(element)) return split.extents.get(element);
  if (split.left-- <= 0) return undefined;
  const { style, rect } = split.kit.look(element);
  const isBar = rect.top < 100 && rect.width > innerWidth / 2 && rect.height < innerHeight / 3;
  const isHidden = style.display === "none" || style.visibility !== "visible" || (style.position === "fixed" && !isBar);
  const isBarTag = /^(nav|header|footer)$/.test(element.localName);
  const spills = !isBarTag && style.overflowY === "visible" && element.scrollHeight > rect.height + 100;
  const width = Math.max(innerWidth, document.documentElement.scrollWidth);
  const box = {
    left: Math.max(0, rect.left + scrollX),
    top: Math.max(0, rect.top + scrollY),
    right: Math.min(width, rect.right + scrollX),
    // Content may be longer than the height that a wrapper was given.
    bottom: rect.top + scrollY + (spills ? element.scrollHeight : rect.height),
  };
  let extent: Extent | undefined = isHidden || box.right <= box.left || box.bottom <= 0 ? undefined : box;
  // What holds only floating or absolute children, or no box of its own, is where they are.
  if (!isHidden && (style.display === "contents" || rect.height < 2) && depth < 8) {
    const inner = [...element.children].slice(0, 50).flatMap((child) => extentOf(child, depth + 1, split) ?? []);
    extent = inner.length === 0 ? undefined : inner[0];
    for (const { left, top, right, bottom } of inner) {
      if (extent === undefined) continue;
      extent = {
        left: Math.min(extent.left, left),
        top: Math.min(extent.top, top),
        right: Math.max(extent.right, right),
        bottom: Math.max(extent.bottom, bottom),
      };
    }
  }
  split.extents.set(element, extent);
  return extent;
}

function isWorthSplitting(element: Element, depth: number, split: Split): boolean {
  const extent = extentOf(element, 0, split);
  if (depth >= 16 || split.left <= 0 || extent === undefined) return false;
  const height = extent.bottom - extent.top;
  const isTable = /^(table|tbody|tr)$/.test(element.localName);
  if (isTable && height < document.documentElement.scrollHeight / 2) return false;
  if (isText(element) || /^(li|button|svg|canvas|nav|header|footer|aside|fieldset|details)$/.test(element.localName))
    return false;
  const children = childrenOf(element, split);
  if (children.length === 0 || isListOfItems(children, split)) return false;
  const [only] = children;
  if (children.length === 1 && only !== undefined) return isWorthSplitting(only, depth + 1, split);
  const inner = children.filter((child) => isPart(child, split) || isWorthSplitting(child, depth + 1, split));
  // What says itself that it is one part is divided only if it holds parts that say so too, and is long.
  if (!/^(section|article)$/.test(element.localName)) {
    return inner.length > 0 && (height > 300 || inner.filter((child) => isLandmark(child)).length > 1);
  }
  const named = inner.filter((child) => isLandmark(child));
  const covered = named.reduce((sum, child) => {
    const { top, bottom } = extentOf(child, 0, split) ?? { top: 0, bottom: 0 };
    return sum + bottom - top;
  }, 0);
  return named.length >= 2 && height > innerHeight && covered > height * 0.6;
}

/** Many of the same shape, none of them long: cards, teasers, entries. */
function isListOfItems(children: readonly Element[], split: Split): boolean {
  if (children.length < 3) return false;
  const shapes = new Map<string, number>();
  for (const child of children) {
    const { top, bottom } = extentOf(child, 0, split) ?? { top: 0, bottom: 0 };
    const shape = `${child.localName}.${child.classList[0] ?? ""}`;
    const isItem =
      bottom - top < innerHeight * 0.7 && !/^(header|footer|nav|main|aside|section)$/.test(child.localName);
    if (isItem && (child.localName === "article" || child.classList.length > 0))
      shapes.set(shape, (shapes.get(shape) ?? 0) + 1);
  }
  return Math.max(0, ...shapes.values()) >= children.length * 0.7;
}

/** It is a part by what it is, by what it is called, or by its size. */
function isPart(element: Element, split: Split): boolean {
  const extent = extentOf(element, 0, split);
  if (extent === undefined) return false;
  if (isLandmark(element)) return true;
  const [width, height] = [extent.right - extent.left, extent.bottom - extent.top];
  if (isText(element)) return false;
  if (width >= innerWidth * 0.5 && height >= 60 && hasPartName(element)) return true;
  return height >= 600 || (height >= 200 && width >= innerWidth * 0.4);
}

/** What text and pictures consist of. */
function isText({ localName }: Element): boolean {
  return /^(p|h[1-6]|ul|ol|dl|blockquote|figure|pre|img|picture|video|iframe|span|a|code)$/.test(localName);
}

function isLandmark(element: Element): boolean {
  const role = element.getAttribute("role") ?? "";
  return (
    /^(header|nav|main|section|article|aside|footer)$/.test(element.localName) ||
    /^(banner|navigation|main|contentinfo|complementary|region|article)$/.test(role)
  );
}

function hasPartName(element: Element): boolean {
  const names =
    /(^|[-_\s])(hero|banner|jumbotron|features?|services|cta|testimonials?|reviews?|pricing|contact|gallery|portfolio|team|partners?|clients|faq|stats?|newsletter|subscribe|section|footer|nav|navbar|header|sidebar|comments?|related)([-_\s]|$)/i;
  return names.test(`${element.getAttribute("class") ?? ""} ${element.id}`);
}

/** Where one lies over another, as a bar lies over a picture, each point belongs to one of them only. */
function keepApart(parts: readonly PagePart[]): PagePart[] {
  const kept: PagePart[] = [];
  for (const part of parts) {
    for (const other of kept) separate(other, part);
    kept.push(part);
  }
  return kept.filter(({ left, top, right, bottom }) => bottom - top >= 8 && right - left >= 8);
}

/** Cuts one of two that overlap: the one that shows most beside the other, and where it loses least. */
function separate(first: PagePart, second: PagePart): void {
  const across = Math.min(first.right, second.right) - Math.max(first.left, second.left);
  const down = Math.min(first.bottom, second.bottom) - Math.max(first.top, second.top);
  if (across <= 0 || down <= 0) return;
  const isTaller = first.bottom - first.top > second.bottom - second.top;
  const [large, small] = isTaller ? [first, second] : [second, first];
  if (across < down && across < (large.right - large.left) / 2) {
    if (large.left < small.left) large.right = small.left;
    else large.left = small.right;
    return;
  }
  const [above, below] = [small.top - large.top, large.bottom - small.bottom];
  // In the middle of the other it is a part of it.
  if (above > 8 && below > 8 && Math.min(above, below) > (large.bottom - large.top) / 4) small.bottom = small.top;
  else if (above > below) large.bottom = small.top;
  else large.top = small.bottom;
}
