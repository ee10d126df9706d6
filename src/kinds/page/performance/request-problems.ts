import type { LoadFacts } from "./load-facts.ts";
import { amount, kilobytes, problem, siteOf, sum, urlsOf, type Found, type Judged } from "./problem.ts";

const fineStyleBytes = 50_000;
const fineElements = 1_400;
const fineForeignBytes = 500_000;
const fineHttp1 = 5;

/** What is asked for, from where, how often and by which protocol, and what the first paint waits for. */
export function findRequestProblems(judged: Judged, facts: LoadFacts): Found[] {
  const { thirdParties, duplicates, large, redirects } = judged;
  const foreign = sum(thirdParties, ({ bytes }) => bytes);
  const domains = thirdParties.map(({ domain }) => domain);
  const sizes = large.map(({ bytes, type }) => `${type} of ${kilobytes(bytes)}`);
  const isOwn = (url: string): boolean => siteOf(url, facts) === siteOf(facts.url, facts);
  // The page itself may be sent on once, as from http to https or to a language.
  const sentOn = redirects.filter(({ isMain, from, url }) => (isMain ? from.length > 1 : isOwn(url)));
  const old = facts.requests.filter(({ url, protocol }) => url.startsWith("https:") && protocol.startsWith("http/1"));
  return [
    findBlocking(judged, facts),
    findTree(judged),
    foreign > fineForeignBytes &&
      problem("third-party", `${kilobytes(foreign)} from ${domains.slice(0, 3).join(", ")}`, {
        severity: "moderate",
        count: domains.length,
      }),
    duplicates.length > 0 &&
      problem("duplicate", amount(duplicates.length, "file"), {
        ...urlsOf(duplicates),
        savedBytes: sum(duplicates, ({ bytes, times }) => bytes - bytes / times),
      }),
    large.length > 0 && problem("large-file", sizes.slice(0, 3).join(", "), { ...urlsOf(large), severity: "moderate" }),
    sentOn.length > 0 &&
      problem("redirect", `${sentOn[0]?.from[0] ?? ""} leads to ${sentOn[0]?.url ?? ""}`, urlsOf(sentOn)),
    old.length > fineHttp1 && problem("http1", `${old.length} requests by HTTP/1`, { count: old.length }),
  ];
}

/** One small style sheet of the page's own is what most good pages wait for. */
function findBlocking({ blocking }: Judged, facts: LoadFacts): Found {
  const scripts = blocking.filter(({ type }) => type === "script").length;
  const isSlow =
    scripts > 0 ||
    sum(blocking, ({ bytes }) => bytes) > fineStyleBytes ||
    blocking.some(({ url }) => siteOf(url, facts) !== siteOf(facts.url, facts));
  const evidence = `${amount(scripts, "script")}, ${amount(blocking.length - scripts, "other file")}`;
  return isSlow && problem("render-blocking", evidence, { ...urlsOf(blocking), severity: "moderate" });
}

function findTree({ tree }: Judged): Found {
  if (tree.elements <= fineElements) return false;
  return problem("tree-large", `${tree.elements} elements, ${tree.depth} deep, up to ${tree.children} in one`, {
    severity: tree.elements > fineElements * 3 ? "moderate" : "minor",
    selectors: [tree.widest, tree.deepest],
  });
}
