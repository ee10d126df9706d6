/// <reference lib="dom" />
/// <reference lib="dom.iterable" />

/** A picture as it is shown, for how it was loaded. */
export interface ShownImage {
  readonly url: string;
  readonly selector: string;
  readonly natural: { readonly width: number; readonly height: number };
  readonly shown: { readonly width: number; readonly height: number };
  /** The page keeps room for it before it is there. */
  readonly isSized: boolean;
  readonly isLazy: boolean;
  /** In heights of the window: 0 and above is on it. */
  readonly windowsBelow: number;
}

export interface TreeFacts {
  readonly elements: number;
  readonly depth: number;
  readonly deepest: string;
  readonly children: number;
  readonly widest: string;
}

export interface LoadingFacts {
  readonly images: readonly ShownImage[];
  readonly tree: TreeFacts;
}

export const loadingFunctions = [collectLoading, describeShown, hasRoom, measureTree];

type SelectorOf = (element: Element) => string;

export function collectLoading(selectorOf: SelectorOf, maxImages: number, maxElements: number): LoadingFacts {
  const images = [...document.images].slice(0, maxImages).flatMap((image) => describeShown(image, selectorOf));
  return { images, tree: measureTree(maxElements, selectorOf) };
}

function describeShown(image: HTMLImageElement, selectorOf: SelectorOf): ShownImage[] {
  const { width, height, top } = image.getBoundingClientRect();
  const url = image.currentSrc;
  if (url === "" || url.startsWith("data:") || image.naturalWidth === 0 || width === 0 || height === 0) return [];
  return [
    {
      url: url.slice(0, 2_000),
      selector: selectorOf(image),
      natural: { width: image.naturalWidth, height: image.naturalHeight },
      shown: { width: Math.round(width), height: Math.round(height) },
      isSized: hasRoom(image),
      isLazy: image.loading === "lazy",
      windowsBelow: (top + scrollY) / innerHeight - 1,
    },
  ];
}

function hasRoom(image: HTMLImageElement): boolean {
  const style = getComputedStyle(image);
  if (image.hasAttribute("width") && image.hasAttribute("height")) return true;
  if (style.position === "absolute" || style.position === "fixed" || /\d/.test(style.aspectRatio)) return true;
  // Unlike the computed style, this says what was asked for, and not what came of it.
  const asked = image.computedStyleMap();
  const isGiven = (name: string): boolean => (asked.get(name)?.toString() ?? "auto") !== "auto";
  return isGiven("width") && isGiven("height");
}

function measureTree(maxElements: number, selectorOf: SelectorOf): TreeFacts {
  const root = document.body ?? document.documentElement;
  const depths = new Map<Element, number>([[root, 2]]);
  let [deepest, depth]: [Element, number] = [root, 2];
  let [widest, children]: [Element, number] = [root, root.childElementCount];
  const all = root.getElementsByTagName("*");
  for (let index = 0; index < all.length && index < maxElements; index++) {
    const element = all[index];
    if (element === undefined) continue;
    const own = (depths.get(element.parentElement ?? element) ?? 0) + 1;
    const count = element.childElementCount;
    if (count > 0) depths.set(element, own);
    if (own > depth) [deepest, depth] = [element, own];
    if (count > children) [widest, children] = [element, count];
  }
  return {
    elements: document.getElementsByTagName("*").length,
    depth,
    deepest: selectorOf(deepest),
    children,
    widest: selectorOf(widest),
  };
}
