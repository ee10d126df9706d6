import { parseUrl } from "../../job/parse-url.ts";

/** What a robots.txt says to one crawler. */
export interface RobotsRules {
  readonly isAllowed: (url: string | URL) => boolean;
  readonly crawlDelayMs: number | undefined;
  /** Absolute. */
  readonly sitemaps: readonly string[];
}

interface Rule {
  readonly isAllowed: boolean;
  readonly pattern: string;
}

interface Group {
  readonly agents: string[];
  readonly rules: Rule[];
  crawlDelayMs: number | undefined;
}

const longestDelayMs = 60_000;
const maxSitemaps = 1_000;

export const allowAll: RobotsRules = { isAllowed: () => true, crawlDelayMs: undefined, sitemaps: [] };
export const disallowAll: RobotsRules = { ...allowAll, isAllowed: (url) => isRobotsFile(new URL(url)) };

/** Reads a robots.txt (RFC 9309) for a product token such as "Longhaul". */
export function readRobots(robotsUrl: string, text: string, productToken: string): RobotsRules {
  const records = text.split(/\r\n|\r|\n/).flatMap(readRecord);
  const groups = readGroups(records);
  const named = groups.filter(({ agents }) => agents.includes(productToken.toLowerCase()));
  const chosen = named.length > 0 ? named : groups.filter(({ agents }) => agents.includes("*"));
  const rules = chosen.flatMap((group) => group.rules);
  const sitemaps = records.flatMap(([key, value]) => {
    const url = key === "sitemap" && value !== "" ? parseUrl(value, robotsUrl) : undefined;
    return url === undefined ? [] : [url.href];
  });
  return {
    isAllowed: (target) => {
      const url = new URL(target);
      return isRobotsFile(url) || (findRule(rules, normaliseUrl(url))?.isAllowed ?? true);
    },
    crawlDelayMs: chosen.find(({ crawlDelayMs }) => crawlDelayMs !== undefined)?.crawlDelayMs,
    sitemaps: [...new Set(sitemaps)].slice(0, maxSitemaps),
  };
}

function isRobotsFile(url: URL): boolean {
  return url.pathname === "/robots.txt";
}

function readRecord(line: string): [string, string][] {
  const [, key, value] = /^\s*([^\s:#]+)\s*:([^#]*)/.exec(line) ?? [];
  return key === undefined || value === undefined ? [] : [[key.toLowerCase(), value.trim()]];
}

/** Lines that are neither agents nor rules do not end a group: a Sitemap may stand anywhere. */
function readGroups(records: readonly [string, string][]): Group[] {
  const groups: Group[] = [];
  let isOpen = false;
  for (const [key, value] of records) {
    if (key === "user-agent") {
      if (!isOpen) groups.push({ agents: [], rules: [], crawlDelayMs: undefined });
      groups.at(-1)?.agents.push((/^(\*|[a-z_-]+)/i.exec(value)?.[0] ?? "").toLowerCase());
      isOpen = true;
    } else if (key === "allow" || key === "disallow") {
      if (value !== "") groups.at(-1)?.rules.push({ isAllowed: key === "allow", pattern: normalisePattern(value) });
      isOpen = false;
    } else if (key === "crawl-delay") {
      const group = groups.at(-1);
      const delayMs = Number(value) * 1_000;
      if (group !== undefined && delayMs > 0) group.crawlDelayMs = Math.min(delayMs, longestDelayMs);
      isOpen = false;
    }
  }
  return groups;
}

/** The longest pattern that matches decides; between two of one length the one that allows. */
function findRule(rules: readonly Rule[], path: string): Rule | undefined {
  let found: Rule | undefined;
  for (const rule of rules) {
    const isBetter =
      found === undefined ||
      rule.pattern.length > found.pattern.length ||
      (rule.pattern.length === found.pattern.length && rule.isAllowed);
    if (isBetter && matches(rule.pattern, path)) found = rule;
  }
  return found;
}

/** Each part between two stars is looked for once, from left to right, so no pattern can take long. */
function matches(pattern: string, path: string): boolean {
  const isAnchored = pattern.endsWith("$");
  const [first = "", ...parts] = (isAnchored ? pattern.slice(0, -1) : pattern).split("*");
  if (!path.startsWith(first)) return false;
  const last = isAnchored ? parts.pop() : undefined;
  let position = first.length;
  for (const part of parts) {
    const foundAt = path.indexOf(part, position);
    if (foundAt === -1) return false;
    position = foundAt + part.length;
  }
  if (!isAnchored) return true;
  return last === undefined ? path.length === position : path.length - last.length >= position && path.endsWith(last);
}

/** In a URL, stars and dollars are themselves; in a pattern, only those that are encoded, or a dollar before the end. */
function normaliseUrl(url: URL): string {
  return encodeSpecial(normalise(url.pathname + url.search), /[*$]/g);
}

function normalisePattern(pattern: string): string {
  return encodeSpecial(normalise(pattern), /\$(?!$)/g);
}

function encodeSpecial(text: string, special: RegExp): string {
  return text.replace(special, (character) => (character === "*" ? "%2A" : "%24"));
}

/** One spelling for every octet: printable ASCII as it is, all else encoded. The parser of URLs leaves both spellings of most. */
function normalise(text: string): string {
  return text.replace(/%([0-9a-f]{2})|[^!-~]/giu, (match: string, hex: string | undefined) => {
    if (hex === undefined) return Buffer.from(match).toString("hex").toUpperCase().replace(/../g, "%$&");
    const character = String.fromCharCode(Number.parseInt(hex, 16));
    return /[!-~]/.test(character) && !/[%*$]/.test(character) ? character : match.toUpperCase();
  });
}
