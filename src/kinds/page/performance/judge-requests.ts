import type { RequestFacts } from "../measurements.ts";
import type { Coverage } from "./coverage.ts";
import type { LoadFacts } from "./load-facts.ts";
import type { Performance, Unused } from "./performance.ts";
import { siteOf, sum } from "./problem.ts";

/** Most lines of each list. */
const maxListed = 30;
const staticTypes = new Set(["stylesheet", "script", "image", "font", "media"]);
const longEnoughSeconds = 7 * 86_400;
const largeBytes = 500_000;
/** Less is not worth the packing. */
const [leastSaved, leastShare] = [1_400, 0.1];

type Judged = Pick<
  Performance,
  "transfer" | "uncompressed" | "shortCached" | "blocking" | "thirdParties" | "duplicates" | "large" | "redirects"
>;

/** What went over the wire: how much, how well packed, how long it is kept, and what need not have been fetched. */
export function judgeRequests(facts: LoadFacts): Judged {
  const { requests, packed } = facts;
  const heavy = requests.filter(({ type, bytes }) => bytes >= largeBytes && type !== "media");
  return {
    transfer: sumUp(requests),
    uncompressed: packed
      .filter(({ bytes, compressedBytes: after }) => bytes - after > Math.max(leastSaved, bytes * leastShare))
      .slice(0, maxListed),
    shortCached: biggest(requests.filter(isShort).map((each) => ({ ...pick(each), seconds: lifetimeOf(each) }))),
    blocking: requests
      .filter(({ isBlocking, isMain }) => isBlocking && !isMain)
      .map((each) => ({ ...pick(each), type: each.type, ms: Math.max(0, Math.round(each.endMs - each.startMs)) }))
      .slice(0, maxListed),
    thirdParties: findThirdParties(facts),
    duplicates: findDuplicates(requests),
    large: biggest(heavy.map((each) => ({ ...pick(each), type: each.type }))),
    redirects: requests
      .filter(({ redirects }) => redirects.length > 0)
      .map(({ url, redirects, isMain }) => ({ url, from: [...redirects], isMain }))
      .slice(0, maxListed),
  };
}

function pick({ url, bytes }: RequestFacts): { url: string; bytes: number } {
  return { url, bytes };
}

function biggest<Item extends { readonly bytes: number }>(list: readonly Item[]): Item[] {
  return list.toSorted((a, b) => b.bytes - a.bytes).slice(0, maxListed);
}

function sumUp(requests: readonly RequestFacts[]): Performance["transfer"] {
  const byType: Record<string, { bytes: number; requests: number }> = {};
  const byProtocol: Record<string, number> = {};
  for (const { type, bytes, protocol } of requests) {
    const known = (byType[type] ??= { bytes: 0, requests: 0 });
    known.bytes += bytes;
    known.requests += 1;
    if (protocol !== "") byProtocol[protocol] = (byProtocol[protocol] ?? 0) + 1;
  }
  return {
    bytes: sum(requests, ({ bytes }) => bytes),
    bodyBytes: sum(requests, ({ bodyBytes }) => bodyBytes),
    requests: requests.length,
    byType,
    byProtocol,
  };
}

function isShort(request: RequestFacts): boolean {
  const { type, status, cacheControl, url } = request;
  if (!staticTypes.has(type) || status !== 200 || !/^https?:/.test(url)) return false;
  // Whoever says so has a reason.
  if (/no-store|private/.test(cacheControl)) return false;
  return (lifetimeOf(request) ?? 0) < longEnoughSeconds;
}

/** How long a browser may use it without asking; null where nothing is said. */
function lifetimeOf({ cacheControl, expires }: RequestFacts): number | null {
  if (/no-cache/.test(cacheControl)) return 0;
  const seconds = /max-age\s*=\s*"?(\d{1,12})/.exec(cacheControl)?.[1];
  if (seconds !== undefined) return Number(seconds);
  if (expires === "") return null;
  const until = Date.parse(expires);
  return Number.isNaN(until) ? 0 : Math.max(0, Math.round((until - Date.now()) / 1_000));
}

function findThirdParties(facts: LoadFacts): Performance["thirdParties"] {
  const own = siteOf(facts.url, facts);
  const sums = new Map<string, { domain: string; bytes: number; requests: number }>();
  for (const request of facts.requests.filter(({ url }) => /^https?:/.test(url))) {
    const domain = siteOf(request.url, facts);
    if (domain === own) continue;
    const known = sums.get(domain) ?? { domain, bytes: 0, requests: 0 };
    sums.set(domain, { domain, bytes: known.bytes + request.bytes, requests: known.requests + 1 });
  }
  return biggest([...sums.values()]);
}

function findDuplicates(requests: readonly RequestFacts[]): Performance["duplicates"] {
  const sums = new Map<string, { url: string; times: number; bytes: number }>();
  for (const { url, type, method, bytes, isFromCache, status } of requests) {
    if (!staticTypes.has(type) || method !== "GET" || isFromCache || status !== 200) continue;
    const known = sums.get(url) ?? { url, times: 0, bytes: 0 };
    sums.set(url, { url, times: known.times + 1, bytes: known.bytes + bytes });
  }
  return biggest([...sums.values()].filter(({ times }) => times > 1));
}

/** In bytes as they are unpacked: characters are counted, and most take one. */
export function judgeCoverage(covered: readonly Coverage[] | undefined, { requests }: LoadFacts): Unused {
  if (covered === undefined) return null;
  const files = new Map<string, { url: string; isInline: boolean; length: number; unused: number }>();
  for (const { url, isInline, length, unused } of covered) {
    const key = `${String(isInline)} ${url}`;
    const known = files.get(key) ?? { url, isInline, length: 0, unused: 0 };
    files.set(key, { url, isInline, length: known.length + length, unused: known.unused + unused });
  }
  const sizes = new Map(requests.map(({ url, bodyBytes }) => [url, bodyBytes]));
  const measured = [...files.values()].map(({ url, isInline, length, unused }) => {
    const bytes = isInline ? length : (sizes.get(url) ?? 0) || length;
    return { url, isInline, bytes, unusedBytes: Math.round((bytes * unused) / length) };
  });
  return {
    bytes: sum(measured, ({ bytes }) => bytes),
    unusedBytes: sum(measured, ({ unusedBytes }) => unusedBytes),
    files: measured.toSorted((a, b) => b.unusedBytes - a.unusedBytes).slice(0, maxListed),
  };
}
