import { LonghaulError } from "../../../job/error.ts";
import { globToPattern } from "../../../text/glob.ts";
import { compileProgram, type CompiledPattern } from "../../../text/pattern.ts";

export interface ScopeRules {
  readonly starts: readonly string[];
  readonly within: "path" | "host" | "site" | "any";
  readonly include: readonly string[];
  readonly exclude: readonly string[];
}

export type Scope = (url: string) => boolean;

/** The part of a host name that somebody registered; a library knows, and is loaded only where it is asked. */
type SiteOf = (host: string) => string;

/** Whether a normalised URL belongs to the crawl. */
export async function createScope(rules: ScopeRules): Promise<Scope> {
  const siteOf: SiteOf = rules.within === "site" ? await loadSiteOf() : (host) => host;
  const isWithin = createWithin(rules, siteOf);
  const { includes, excludes } = compileUrlPatterns(rules);
  return (url) =>
    isWithin(url) &&
    !isTrap(url) &&
    (includes.length === 0 || includes.some(({ test }) => test(url))) &&
    !excludes.some(({ test }) => test(url));
}

/** Instructions of all patterns of one crawl: every URL that is found is tested by them. */
const maxProgramSize = 5_000;

export function compileUrlPatterns({ include, exclude }: Pick<ScopeRules, "include" | "exclude">): {
  includes: CompiledPattern[];
  excludes: CompiledPattern[];
} {
  const includes = include.map(compileUrlPattern);
  const excludes = exclude.map(compileUrlPattern);
  const size = [...includes, ...excludes].reduce((sum, { programSize }) => sum + programSize, 0);
  if (size <= maxProgramSize) return { includes, excludes };
  throw new LonghaulError(
    "invalid_input",
    "The patterns of include and exclude are too big: give fewer, or simpler ones.",
  );
}

/** A glob for the path (`/docs/**`) or for the whole URL (`https://…`), or `re:` and an expression (RE2) for the whole URL. */
function compileUrlPattern(pattern: string): CompiledPattern {
  if (pattern.startsWith("re:")) return compileProgram(pattern.slice(3));
  // What lies below a folder, and the folder itself.
  const isDeep = pattern.endsWith("/**");
  const source = globToPattern(isDeep ? pattern.slice(0, -3) : pattern);
  const { programSize, test } = compileProgram(`^(?:${source})${isDeep ? "(?:/.*)?" : ""}$`);
  return { programSize, test: /^https?:/.test(pattern) ? test : (url) => test(pathOf(url)) };
}

function createWithin({ starts, within }: ScopeRules, siteOf: SiteOf): Scope {
  if (within === "any") return () => true;
  if (within === "path") {
    const folders = starts.map((start) => (start.split("?")[0] ?? start).replace(/[^/]*$/, ""));
    return (url) => folders.some((folder) => url.startsWith(folder));
  }
  const homes = new Set(starts.map((start) => siteOf(hostOf(start))));
  const known = new Map<string, boolean>();
  return (url) => {
    const host = hostOf(url);
    const isKnown = known.get(host);
    if (isKnown !== undefined) return isKnown;
    const isHome = homes.has(siteOf(host));
    if (known.size < 1_000) known.set(host, isHome);
    return isHome;
  };
}

async function loadSiteOf(): Promise<SiteOf> {
  const { getDomain } = await import("tldts");
  return (host) => getDomain(host, { allowPrivateDomains: true }) ?? host;
}

/** With its port, because another port is another server; `www.` makes no difference. */
function hostOf(url: string): string {
  const start = url.indexOf("//") + 2;
  const end = url.indexOf("/", start);
  const host = url.slice(start, end === -1 ? undefined : end);
  return host.startsWith("www.") ? host.slice(4) : host;
}

function pathOf(url: string): string {
  return url.slice(url.indexOf("/", url.indexOf("//") + 2));
}

const maxSegments = 24;
const maxRepeats = 3;

/** Relative links that lead ever deeper make paths like /a/b/a/b/a/b. */
function isTrap(url: string): boolean {
  let segments = -2;
  let end = 0;
  for (; end < url.length && url.charCodeAt(end) !== 63; end++) if (url.charCodeAt(end) === 47) segments += 1;
  if (segments <= maxRepeats) return false;
  if (segments > maxSegments) return true;
  const path = pathOf(url.slice(0, end));
  const counts = new Map<string, number>();
  for (const segment of path.split("/")) {
    const times = (counts.get(segment) ?? 0) + 1;
    if (segment !== "" && times > maxRepeats) return true;
    counts.set(segment, times);
  }
  return false;
}
