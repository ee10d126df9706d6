import type { LoadFacts } from "./load-facts.ts";
import type { ImageCost } from "./performance.ts";
import { amount, kilobytes, problem, sum, urlsOf, type Found, type Problem } from "./problem.ts";

const [leastFormat, leastOversize, leastEager] = [8_000, 8_000, 20_000];
/** In heights of the window, below its lower edge. */
const farBelow = 1.5;
const smallPixels = 10_000;

export function findImageProblems(images: readonly ImageCost[], facts: LoadFacts): Found[] {
  return [...findHeavy(images), ...findBadlyPlaced(images, facts)];
}

/** What a newer format, and the right size, would save. */
function findHeavy(images: readonly ImageCost[]): Found[] {
  const old = images.filter(({ formatBytes }) => formatBytes >= leastFormat);
  const large = images.filter(({ oversizeBytes }) => oversizeBytes >= leastOversize);
  const formatBytes = sum(old, (image) => image.formatBytes);
  const formats = [...new Set(old.map(({ format }) => format))].join(", ");
  return [
    old.length > 0 &&
      problem("image-format", `about ${kilobytes(formatBytes)} less as WebP than as ${formats}`, {
        ...of(old),
        savedBytes: formatBytes,
        isEstimate: true,
      }),
    large.length > 0 &&
      problem("image-too-large", large.slice(0, 3).map(describeSizes).join(", "), {
        ...of(large),
        savedBytes: sum(large, (image) => image.oversizeBytes),
        isEstimate: true,
      }),
  ];
}

/** Whether the page keeps room for them, and loads early what is seen first, and nothing else. */
function findBadlyPlaced(images: readonly ImageCost[], { vitals, images: seen }: LoadFacts): Found[] {
  const below = new Map(seen.map(({ selector, windowsBelow }) => [selector, windowsBelow]));
  const unsized = images.filter((image) => !image.isSized && !isSmall(image));
  const eager = images.filter(({ isLazy, selector }) => !isLazy && (below.get(selector) ?? 0) > farBelow);
  const isFirst = (image: ImageCost): boolean => image.selector === vitals.largestPaintElement || !isSmall(image);
  const late = images.filter((image) => image.isLazy && !image.isBelowWindow && isFirst(image));
  const eagerBytes = sum(eager, ({ bytes }) => bytes);
  return [
    unsized.length > 0 &&
      problem("image-no-size", `${amount(unsized.length, "image")} without width and height`, of(unsized)),
    eagerBytes >= leastEager &&
      problem("image-not-lazy", `${kilobytes(eagerBytes)} in ${amount(eager.length, "image")}`, {
        ...of(eager),
        savedBytes: eagerBytes,
      }),
    late.length > 0 && problem("image-lazy-first", amount(late.length, "image"), { ...of(late), severity: "moderate" }),
  ];
}

function isSmall({ shown }: ImageCost): boolean {
  return shown.width * shown.height < smallPixels;
}

function of(images: readonly ImageCost[]): Pick<Problem, "count" | "urls" | "selectors"> {
  return { ...urlsOf(images), selectors: images.map(({ selector }) => selector) };
}

function describeSizes({ natural, shown }: ImageCost): string {
  return `${natural.width} × ${natural.height} shown as ${shown.width} × ${shown.height}`;
}
