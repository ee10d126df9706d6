import type { LoadFacts } from "./load-facts.ts";
import type { ImageCost, Performance, PerformanceFinding, Unused } from "./performance.ts";
import { problemTexts } from "./problem-texts.ts";

/** Where the page has it; places are looked up afterwards. */
export type Problem = Omit<PerformanceFinding, "places"> & { readonly selectors: readonly string[] };

type Judged = Omit<Performance, "vitals" | "findings" | "notes" | "conditions">;
type Found = Problem | false;

const [leastCss, leastScript] = [10_000, 20_000];
const [leastFormat, leastOversize, leastEager] = [8_000, 8_000, 20_000];
const farBelow = 1.5;
const smallPixels = 10_000;
const fineStyleBytes = 50_000;
const fineElements = 1_400;
const fineForeignBytes = 500_000;
const fineHttp1 = 6;
const maxNamed = 10;
const severities = { serious: 0, moderate: 1, minor: 2 };

/** What is wrong, the worst first. Bounds are wide enough that a page without faults has none. */
export function findProblems(judged: Judged, facts: LoadFacts): Problem[] {
  return [...inFiles(judged, facts), ...inImages(judged.images, facts), ...inRequests(judged, facts)]
    .filter((each) => each !== false)
    .toSorted((a, b) => severities[a.severity] - severities[b.severity] || b.savedBytes - a.savedBytes);
}

function problem(id: keyof typeof problemTexts, evidence: string, more: Partial<Problem>): Problem {
  const [title, advice] = problemTexts[id];
  const savedBytes = Math.round(more.savedBytes ?? 0);
  const severity = savedBytes > 500_000 ? "serious" : savedBytes > 50_000 ? "moderate" : "minor";
  const urls = (more.urls ?? []).slice(0, maxNamed);
  const selectors = (more.selectors ?? []).filter((selector) => selector !== "").slice(0, maxNamed);
  return { id, severity, title, evidence, advice, count: 1, isEstimate: false, ...more, savedBytes, urls, selectors };
}

function inFiles({ unusedCss, unusedScript, uncompressed, shortCached }: Judged, facts: LoadFacts): Found[] {
  const saved = sum(uncompressed, ({ bytes, compressedBytes }) => bytes - compressedBytes);
  const shortest = sum(shortCached, ({ bytes }) => bytes);
  return [
    unusedPart("unused-css", unusedCss, leastCss, facts),
    unusedPart("unused-script", unusedScript, leastScript, facts),
    uncompressed.length > 0 &&
      problem("uncompressed", `gzip would save ${kilobytes(saved)} of ${of(uncompressed.length, "file")}`, {
        savedBytes: saved,
        count: uncompressed.length,
        urls: uncompressed.map(({ url }) => url),
      }),
    shortCached.length > 0 &&
      problem("cache-short", `${of(shortCached.length, "file")} of ${kilobytes(shortest)} for less than 7 days`, {
        severity: shortest > 100_000 ? "moderate" : "minor",
        count: shortCached.length,
        urls: shortCached.map(({ url }) => url),
      }),
  ];
}

/** The saving is that of the transfer, which may be packed. */
function unusedPart(
  id: "unused-css" | "unused-script",
  unused: Unused,
  least: number,
  { requests, url: pageUrl }: LoadFacts,
): Found {
  const files = (unused?.files ?? []).filter(({ unusedBytes }) => unusedBytes >= least / 5);
  const bytes = sum(files, ({ unusedBytes }) => unusedBytes);
  if (bytes < least) return false;
  const sizes = new Map(requests.map((request) => [request.url, request]));
  const savedBytes = sum(files, ({ url, unusedBytes, bytes: all, isInline }) => {
    const request = sizes.get(isInline ? pageUrl : url);
    const packing = request === undefined ? 1 : Math.min(1, request.bytes / Math.max(1, request.bodyBytes));
    return Math.min(unusedBytes, all) * packing;
  });
  const evidence = `${kilobytes(bytes)} of ${kilobytes(sum(files, (file) => file.bytes))} in ${of(files.length, "file")}`;
  return problem(id, evidence, {
    savedBytes,
    isEstimate: true,
    count: files.length,
    urls: files.map(({ url }) => url),
  });
}

function inImages(images: readonly ImageCost[], { vitals, images: shown }: LoadFacts): Found[] {
  const below = new Map(shown.map(({ selector, windowsBelow }) => [selector, windowsBelow]));
  const area = (image: ImageCost): number => image.shown.width * image.shown.height;
  const old = images.filter(({ formatBytes }) => formatBytes >= leastFormat);
  const large = images.filter(({ oversizeBytes }) => oversizeBytes >= leastOversize);
  const unsized = images.filter((image) => !image.isSized && area(image) >= smallPixels);
  const eager = images.filter(({ isLazy, selector }) => !isLazy && (below.get(selector) ?? 0) > farBelow);
  const late = images.filter(
    (image) =>
      image.isLazy &&
      !image.isBelowWindow &&
      (area(image) >= smallPixels || image.selector === vitals.largestPaintElement),
  );
  const eagerBytes = sum(eager, ({ bytes }) => bytes);
  const [formatBytes, oversizeBytes] = [
    sum(old, (image) => image.formatBytes),
    sum(large, (image) => image.oversizeBytes),
  ];
  return [
    old.length > 0 &&
      problem(
        "image-format",
        `about ${kilobytes(formatBytes)} less as WebP (${old.map(({ format }) => format)[0] ?? ""})`,
        {
          ...inPictures(old),
          savedBytes: formatBytes,
          isEstimate: true,
        },
      ),
    large.length > 0 &&
      problem("image-too-large", large.slice(0, 3).map(sizeText).join(", "), {
        ...inPictures(large),
        savedBytes: oversizeBytes,
        isEstimate: true,
      }),
    unsized.length > 0 &&
      problem("image-no-size", `${of(unsized.length, "image")} without width and height`, inPictures(unsized)),
    eagerBytes >= leastEager &&
      problem("image-not-lazy", `${kilobytes(eagerBytes)} in ${of(eager.length, "image")}`, {
        ...inPictures(eager),
        savedBytes: eagerBytes,
      }),
    late.length > 0 &&
      problem("image-lazy-first", late[0]?.selector ?? "", { ...inPictures(late), severity: "moderate" }),
  ];
}

function inRequests(judged: Judged, { requests, domains, url }: LoadFacts): Found[] {
  const { blocking, tree, thirdParties, duplicates, large, redirects } = judged;
  const hostOf = (address: string): string => new URL(address).hostname;
  const siteOf = (address: string): string => domains[hostOf(address)] ?? hostOf(address);
  const scripts = blocking.filter(({ type }) => type === "script");
  const isSlow =
    scripts.length > 0 ||
    sum(blocking, ({ bytes }) => bytes) > fineStyleBytes ||
    blocking.some((each) => siteOf(each.url) !== siteOf(url));
  const foreign = sum(thirdParties, ({ bytes }) => bytes);
  const sentOn = redirects.filter(({ isMain, from, url: to }) =>
    isMain ? from.length > 1 : siteOf(to) === siteOf(url),
  );
  const repeated = sum(duplicates, ({ bytes, times }) => bytes - bytes / times);
  const old = requests.filter((each) => each.url.startsWith("https:") && each.protocol.startsWith("http/1"));
  return [
    isSlow &&
      problem(
        "render-blocking",
        `${of(scripts.length, "script")}, ${of(blocking.length - scripts.length, "style sheet")}`,
        {
          severity: "moderate",
          count: blocking.length,
          urls: blocking.map((each) => each.url),
        },
      ),
    tree.elements > fineElements &&
      problem("tree-large", `${tree.elements} elements, ${tree.depth} deep, up to ${tree.children} in one`, {
        severity: tree.elements > fineElements * 3 ? "moderate" : "minor",
        selectors: [tree.widest, tree.deepest],
      }),
    foreign > fineForeignBytes &&
      problem(
        "third-party",
        `${kilobytes(foreign)} from ${thirdParties
          .map(({ domain }) => domain)
          .slice(0, 3)
          .join(", ")}`,
        {
          severity: "moderate",
          count: thirdParties.length,
        },
      ),
    duplicates.length > 0 &&
      problem("duplicate", `${of(duplicates.length, "file")}`, {
        savedBytes: repeated,
        count: duplicates.length,
        urls: duplicates.map((each) => each.url),
      }),
    large.length > 0 &&
      problem(
        "large-file",
        large
          .slice(0, 3)
          .map(({ bytes, type }) => `${type} of ${kilobytes(bytes)}`)
          .join(", "),
        {
          severity: "moderate",
          count: large.length,
          urls: large.map((each) => each.url),
        },
      ),
    sentOn.length > 0 &&
      problem("redirect", `${sentOn[0]?.from[0] ?? ""} leads to ${sentOn[0]?.url ?? ""}`, {
        count: sentOn.length,
        urls: sentOn.map((each) => each.url),
      }),
    old.length >= fineHttp1 && problem("http1", `${old.length} requests by HTTP/1`, { count: old.length }),
  ];
}

function inPictures(images: readonly ImageCost[]): Pick<Problem, "count" | "urls" | "selectors"> {
  return {
    count: images.length,
    urls: images.map(({ url }) => url),
    selectors: images.map(({ selector }) => selector),
  };
}

function sizeText({ natural, shown }: ImageCost): string {
  return `${natural.width} × ${natural.height} shown as ${shown.width} × ${shown.height}`;
}

function of(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? "" : "s"}`;
}

function sum<Item>(list: readonly Item[], value: (item: Item) => number): number {
  return list.reduce((total, item) => total + value(item), 0);
}

export function kilobytes(bytes: number): string {
  return bytes >= 1_000_000 ? `${(bytes / 1_000_000).toFixed(1)} MB` : `${(bytes / 1_000).toFixed(1)} KB`;
}
