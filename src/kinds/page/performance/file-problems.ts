import type { LoadFacts } from "./load-facts.ts";
import type { Unused } from "./performance.ts";
import { amount, kilobytes, problem, sum, urlsOf, type Found, type Judged } from "./problem.ts";

const [leastCss, leastScript] = [10_000, 20_000];
const manyShortBytes = 100_000;

/** What files hold that nobody uses, and how they are packed and kept. */
export function findFileProblems(
  { unusedCss, unusedScript, uncompressed, shortCached }: Judged,
  facts: LoadFacts,
): Found[] {
  const saved = sum(uncompressed, ({ bytes, compressedBytes }) => bytes - compressedBytes);
  const short = sum(shortCached, ({ bytes }) => bytes);
  const packed = `gzip would save ${kilobytes(saved)} of ${amount(uncompressed.length, "file")}`;
  const kept = `${amount(shortCached.length, "file")} of ${kilobytes(short)} for less than 7 days`;
  return [
    findUnused("unused-css", unusedCss, leastCss, facts),
    findUnused("unused-script", unusedScript, leastScript, facts),
    uncompressed.length > 0 && problem("uncompressed", packed, { ...urlsOf(uncompressed), savedBytes: saved }),
    shortCached.length > 0 &&
      problem("cache-short", kept, {
        ...urlsOf(shortCached),
        severity: short > manyShortBytes ? "moderate" : "minor",
      }),
  ];
}

/** The saving is that of the transfer, in which the file may be packed. */
function findUnused(
  id: "unused-css" | "unused-script",
  unused: Unused,
  least: number,
  { requests, url: pageUrl }: LoadFacts,
): Found {
  const files = (unused?.files ?? []).filter(({ unusedBytes }) => unusedBytes >= least / 5);
  const bytes = sum(files, ({ unusedBytes }) => unusedBytes);
  if (bytes < least) return false;
  const known = new Map(requests.map((request) => [request.url, request]));
  const savedBytes = sum(files, ({ url, unusedBytes, isInline }) => {
    const request = known.get(isInline ? pageUrl : url);
    return unusedBytes * (request === undefined ? 1 : Math.min(1, request.bytes / Math.max(1, request.bodyBytes)));
  });
  const all = kilobytes(sum(files, (file) => file.bytes));
  const evidence = `${kilobytes(bytes)} of ${all} in ${amount(files.length, "file")}`;
  return problem(id, evidence, { ...urlsOf(files), savedBytes, isEstimate: true });
}
