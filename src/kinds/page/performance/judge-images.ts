import type { ShownImage } from "../in-page/collect-loading.ts";
import type { RequestFacts } from "../measurements.ts";
import type { LoadFacts } from "./load-facts.ts";
import type { ImageCost } from "./performance.ts";

const maxImages = 50;
/** Screens of double density are served as well: what is finer than that is of no use to anybody. */
const leastScale = 2;
/** What WebP commonly saves without a visible loss, as its makers measured it; AVIF saves more. */
const savedByWebp: Readonly<Record<string, number>> = { jpeg: 0.25, png: 0.26, bmp: 0.9, tiff: 0.5 };

/** Each picture of the page, with what it need not have cost. The dearest first. */
export function judgeImages({ images, requests, conditions }: LoadFacts): ImageCost[] {
  const fetched = new Map(requests.filter(({ type }) => type === "image").map((each) => [each.url, each]));
  const scale = Math.max(conditions.scale, leastScale);
  return images
    .map((image) => judgeImage(image, fetched.get(image.url.replace(/#.*$/, "")), scale))
    .toSorted((a, b) => b.oversizeBytes + b.formatBytes - a.oversizeBytes - a.formatBytes || b.bytes - a.bytes)
    .slice(0, maxImages);
}

function judgeImage(image: ShownImage, request: RequestFacts | undefined, scale: number): ImageCost {
  const { url, natural, shown, isSized, isLazy, windowsBelow, selector } = image;
  const format = /^image\/(?:x-)?([\w-]+)/.exec(request?.mimeType ?? "")?.[1]?.replace(/^(x-)?ms-bmp$/, "bmp") ?? "";
  const bytes = request?.bodyBytes ?? 0;
  const needed = (shown.width * shown.height * scale * scale) / (natural.width * natural.height);
  const oversizeBytes = format.startsWith("svg") ? 0 : Math.round(bytes * Math.max(0, 1 - needed));
  return {
    url,
    format,
    bytes,
    natural,
    shown,
    oversizeBytes,
    // Of what is left when it has the right size, so that nothing is promised twice.
    formatBytes: Math.round((bytes - oversizeBytes) * (savedByWebp[format] ?? 0)),
    isSized,
    isLazy,
    isBelowWindow: windowsBelow >= 0,
    selector,
  };
}
