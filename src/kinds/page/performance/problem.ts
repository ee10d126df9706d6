import type { LoadFacts } from "./load-facts.ts";
import type { Performance, PerformanceFinding } from "./performance.ts";
import { problemTexts } from "./problem-texts.ts";

/** Something wrong with how the page loads. Where its elements are is looked up afterwards. */
export type Problem = Omit<PerformanceFinding, "places"> & { readonly selectors: readonly string[] };
export type Found = Problem | false;
export type Judged = Omit<Performance, "vitals" | "findings" | "notes" | "conditions">;

const maxNamed = 10;
const [seriousBytes, moderateBytes] = [500_000, 50_000];

/** As bad as what it costs, unless it says so itself. */
export function problem(id: keyof typeof problemTexts, evidence: string, more: Partial<Problem>): Problem {
  const [title, advice] = problemTexts[id];
  const savedBytes = Math.round(more.savedBytes ?? 0);
  const severity = savedBytes > seriousBytes ? "serious" : savedBytes > moderateBytes ? "moderate" : "minor";
  const urls = (more.urls ?? []).slice(0, maxNamed);
  const selectors = (more.selectors ?? []).filter((selector) => selector !== "").slice(0, maxNamed);
  return { id, severity, title, evidence, advice, count: 1, isEstimate: false, ...more, savedBytes, urls, selectors };
}

/** The registrable domain, as far as there is one. */
export function siteOf(url: string, { domains }: Pick<LoadFacts, "domains">): string {
  const { hostname } = new URL(url);
  return domains[hostname] ?? hostname;
}

export function urlsOf(list: readonly { readonly url: string }[]): Pick<Problem, "count" | "urls"> {
  return { count: list.length, urls: list.map(({ url }) => url) };
}

export function sum<Item>(list: readonly Item[], value: (item: Item) => number): number {
  return list.reduce((total, item) => total + value(item), 0);
}

export function amount(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? "" : "s"}`;
}

export function kilobytes(bytes: number): string {
  return bytes >= 1_000_000 ? `${(bytes / 1_000_000).toFixed(1)} MB` : `${(bytes / 1_000).toFixed(1)} KB`;
}
