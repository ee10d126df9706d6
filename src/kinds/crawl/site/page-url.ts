import type { Pagination } from "../contract.ts";

const longestUrl = 2_000;

/** Parameters that say where a visitor came from or who they are, never which page is meant. */
const trackingParameter =
  /^(utm_.*|mtm_.*|pk_.*|hsa_.*|_hs.*|fbclid|gclid|gclsrc|dclid|gbraid|wbraid|msclkid|yclid|twclid|igshid|mc_[ce]id|_ga|_gl|ref_src|phpsessid|jsessionid|aspsessionid.*|sid|sessionid|session_id|cfid|cftoken)$/i;

/**
 * The one spelling under which a page is known: without fragment, default port, tracking and session parameters; with its
 * query sorted by name. Undefined for what is no address of a web page.
 */
export function normaliseUrl(text: string, base?: string): string | undefined {
  if (text.length > longestUrl) return undefined;
  if (base !== undefined && isPlainPath(text)) return originOf(base) + text;
  const url = parse(text.trim(), base);
  if (url === undefined || (url.protocol !== "https:" && url.protocol !== "http:")) return undefined;
  if (url.username !== "" || url.password !== "" || url.hostname === "") return undefined;
  const path = tidyEscapes(
    url.pathname.includes(";") ? url.pathname.replace(/;jsessionid=[^/;]*/gi, "") : url.pathname,
  );
  const query = url.search.length > 1 ? tidyQuery(url.search.slice(1)) : "";
  const host = url.hostname.endsWith(".") ? url.host.replace(/\.(?=:|$)/, "") : url.host;
  const normal = `${url.protocol}//${host}${path}${query === "" ? "" : `?${query}`}`;
  return normal.length > longestUrl ? undefined : normal;
}

/** A path that is written in its normal form already, as most links of most sites are: parsing it would be a waste. */
export function isPlainPath(text: string): boolean {
  return /^\/(?!\/)[\w/-]*(?:\.\w+)?$/.test(text);
}

/** Of a URL that is in its normal form. */
export function originOf(url: string): string {
  const end = url.indexOf("/", url.indexOf("//") + 2);
  return end === -1 ? url : url.slice(0, end);
}

function parse(text: string, base: string | undefined): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}

/** By the text itself: a parser that writes a query anew changes spaces and empty values, which some servers tell apart. */
function tidyQuery(query: string): string {
  const pairs = query.split("&").filter((pair) => pair !== "" && !trackingParameter.test(nameOf(pair)));
  return tidyEscapes(pairs.toSorted((a, b) => compare(nameOf(a), nameOf(b))).join("&"));
}

function nameOf(pair: string): string {
  const end = pair.indexOf("=");
  return end === -1 ? pair : pair.slice(0, end);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Escapes in capitals, and none where the character needs none (RFC 3986, 6.2.2). */
function tidyEscapes(text: string): string {
  if (!text.includes("%")) return text;
  return text.replace(/%[0-9a-f]{2}/gi, (escape) => {
    const character = String.fromCharCode(Number.parseInt(escape.slice(1), 16));
    return /[A-Za-z0-9._~-]/.test(character) ? character : escape.toUpperCase();
  });
}

/** How a list goes on after this page: by the number in its URL, or where its own link to the next page leads. */
export function nextPage(
  pagination: Pagination | undefined,
  url: string,
  link: string | undefined,
): string | undefined {
  if (pagination?.type === "next_button") return link;
  if (pagination?.type !== "url_pattern") return undefined;
  const number = pageNumber(pagination.pattern, url);
  return number === undefined ? undefined : pageUrl(pagination.pattern, number + 1);
}

export function pageUrl(pattern: string, number: number): string | undefined {
  return normaliseUrl(pattern.replaceAll("{page}", String(number)));
}

/** The number that makes the pattern this URL. */
function pageNumber(pattern: string, url: string): number | undefined {
  for (const [digits] of url.matchAll(/\d{1,9}/g)) {
    if (pageUrl(pattern, Number(digits)) === url) return Number(digits);
  }
  return undefined;
}
