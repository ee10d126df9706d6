/** Tells the pages of a site from others, by their host. */
export class SameSite {
  readonly #host: string;

  constructor(url: string) {
    this.#host = hostOf(url);
  }

  has(url: string): boolean {
    const host = hostOf(url);
    return host === this.#host || host.endsWith(`.${this.#host}`);
  }
}

/** Without `www.`; of a URL in its normal form. */
function hostOf(url: string): string {
  const from = url.indexOf("//") + 2;
  const end = url.indexOf("/", from);
  return url.slice(url.startsWith("www.", from) ? from + 4 : from, end === -1 ? undefined : end);
}
