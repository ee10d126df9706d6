/** One spelling for addresses that mean the same page: sorted query, no fragment, single slashes, none at the end. */
export function normalizeUrl(text: string): string {
  const url = new URL(text);
  url.hash = "";
  url.searchParams.sort();
  url.pathname = url.pathname.replace(/\/{2,}/g, "/").replace(/\/$/, "");
  return url.search === "" ? url.href.replace(/\/$/, "") : url.href;
}
