import type { Pagination } from "../../job/crawl-request.ts";
import { normaliseUrl } from "./page-url.ts";

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
