import type { Alternate } from "../parse/page-language.ts";
import { HashIndex, hashText } from "./hash-set.ts";

const maxTags = 1_000;

/** What pages say of the language of others; the first word counts. */
export class PageLanguages {
  readonly #tagOfUrl = new HashIndex();
  readonly #tags: string[] = [];

  of(url: string): string | undefined {
    const tag = this.#tagOfUrl.get(hashText(url));
    return tag === undefined ? undefined : this.#tags[tag];
  }

  /** Undefined for none. */
  unknown(alternates: readonly Alternate[]): Readonly<Record<string, string>> | undefined {
    const fresh = alternates.filter(({ url, language }) => language !== "x-default" && this.of(url) === undefined);
    return fresh.length === 0
      ? undefined
      : Object.fromEntries(fresh.toReversed().map(({ url, language }) => [url, language]));
  }

  add(languages: Readonly<Record<string, string>>): void {
    for (const [url, language] of Object.entries(languages)) {
      const known = this.#tags.indexOf(language);
      if (known === -1 && this.#tags.length >= maxTags) continue;
      this.#tagOfUrl.add(hashText(url), known === -1 ? this.#tags.push(language) - 1 : known);
    }
  }
}
