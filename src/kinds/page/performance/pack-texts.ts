import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { RequestFacts } from "../measurements.ts";
import type { LoadFacts } from "./load-facts.ts";

const maxFiles = 40;
const maxBytes = 2_000_000;
const maxTotalBytes = 10_000_000;
/** What fits into one packet is not sooner there when it is packed. */
const leastBytes = 1_400;

const textTypes =
  /^(text\/|application\/(javascript|x-javascript|ecmascript|json|ld\+json|manifest\+json|xml|xhtml\+xml|rss\+xml|atom\+xml|wasm|vnd\.ms-fontobject)|image\/(svg\+xml|x-icon|vnd\.microsoft\.icon)|font\/(ttf|otf))/;

/** Text that came over the network as it is, and is long enough for packing to help. */
export function isPlainText({ status, mimeType, encoding, bodyBytes, isFromCache, type }: RequestFacts): boolean {
  return (
    status === 200 &&
    !isFromCache &&
    type !== "eventsource" &&
    bodyBytes >= leastBytes &&
    (encoding === "" || encoding === "identity") &&
    textTypes.test(mimeType)
  );
}

/** Really packs them, in the threads of zlib, the largest first. */
export async function packTexts(
  texts: readonly RequestFacts[],
  readBody: (request: RequestFacts) => Promise<Buffer | string | undefined>,
): Promise<{ packed: LoadFacts["packed"][number][]; skipped: number }> {
  const packed: LoadFacts["packed"][number][] = [];
  let left = maxTotalBytes;
  const files = [...new Map(texts.map((text) => [text.url, text])).values()];
  for (const request of files.toSorted((a, b) => b.bodyBytes - a.bodyBytes)) {
    if (packed.length >= maxFiles || request.bodyBytes > Math.min(maxBytes, left)) continue;
    const body = await readBody(request);
    if (body === undefined) continue;
    left -= request.bodyBytes;
    const { length } = await promisify(gzip)(body);
    packed.push({ url: request.url, bytes: request.bodyBytes, compressedBytes: length });
  }
  return { packed, skipped: files.length - packed.length };
}
