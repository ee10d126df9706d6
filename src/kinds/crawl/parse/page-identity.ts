import type { Json } from "../../../job/json.ts";
import { hashText } from "../site/hash-set.ts";
import type { Outline } from "../site/kept-pages.ts";
import { hashWords, TextSketch } from "../site/similarity.ts";
import { languageKey } from "./page-language.ts";
import { dataTextOf, factsOf } from "./page-facts.ts";
import type { ParsedPage } from "./parse-plan.ts";
import type { ReadDocument } from "./read-document.ts";
import { AddressWords, hashTellingWords } from "./telling-words.ts";

export type PageIdentity = Pick<ParsedPage, "contentHash" | "fingerprint" | "outline">;

/** A page's text, counted once for all that is made of it. */
export class PageText {
  readonly #sketch = new TextSketch();
  readonly #address: AddressWords;
  readonly markdown: string;

  constructor(markdown: string, url: string) {
    this.markdown = markdown;
    this.#address = new AddressWords(url);
    const [sketch, address] = [this.#sketch, this.#address];
    hashWords(markdown, (hash) => {
      sketch.add(hash);
      address.say(hash);
    });
  }

  get words(): number {
    return this.#sketch.words;
  }

  /** By which a page is known for another: its text, within one language and with the same facts and data. */
  identity(document: ReadDocument, data: Json | undefined, url: string): PageIdentity {
    const facts = [
      languageKey(document, url),
      factsOf(document.metadata),
      dataTextOf(data, [url, document.canonical]),
    ].join("\n");
    const same = hashText(facts);
    const titled = hashText(document.title, same);
    const telling = hashTellingWords(this.markdown) ^ this.#address.hash;
    const outline: Outline = [same & 0xffff, (same >>> 16) & 0xffff, ...this.#sketch.gist];
    return {
      contentHash: hashText(this.markdown, titled),
      fingerprint: this.#sketch.fingerprint((titled ^ telling) >>> 0),
      outline,
    };
  }
}
