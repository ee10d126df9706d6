/**
 * The URL that a text is; undefined for one that is none. `URL.canParse` is not asked first: on Node 20, once it is compiled, it takes the
 * bytes of a Latin-1 text for UTF-8 and says yes to URLs that `new URL` then throws at.
 */
export function parseUrl(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}
