import { HashIndex, hashText } from "./hash-set.ts";
import { gistLength } from "./similarity.ts";

/**
 * What must be the same for a page to be another's canonical one: 32 bits of its language and facts in two halves, then the gist of
 * its text.
 */
export type Outline = readonly number[];

const halves = 2;
const outlineLength = halves + gistLength;
const chunkLength = 256;

/** The pages that were kept, by number, in little more memory than their addresses take. */
export class KeptPages {
  readonly #numbers = new HashIndex();
  /** So many addresses each, one per line. */
  readonly #chunks: Buffer[] = [];
  #lastUrls: string[] = [];
  #outlines = new Uint16Array(64 * outlineLength);
  #size = 0;

  has(url: string): boolean {
    return this.#numbers.get(hashText(url)) !== undefined;
  }

  /** Returns its number. */
  add(url: string, outline: Outline): number {
    const number = this.#size++;
    this.#numbers.add(hashText(url), number);
    this.#lastUrls.push(url);
    if (this.#lastUrls.length === chunkLength) {
      this.#chunks.push(Buffer.from(this.#lastUrls.join("\n")));
      this.#lastUrls = [];
    }
    const at = number * outlineLength;
    if (at === this.#outlines.length) {
      const before = this.#outlines;
      this.#outlines = new Uint16Array(before.length * 2);
      this.#outlines.set(before);
    }
    this.#outlines.set(outline.slice(0, outlineLength), at);
    return number;
  }

  urlOf(number: number): string {
    const chunk = this.#chunks[Math.floor(number / chunkLength)];
    const urls = chunk === undefined ? this.#lastUrls : chunk.toString().split("\n");
    return urls[number % chunkLength] ?? "";
  }

  /** Undefined for a page that is not kept. */
  outlineOf(url: string): Outline | undefined {
    const number = this.#numbers.get(hashText(url));
    if (number === undefined) return undefined;
    const at = number * outlineLength;
    return [...this.#outlines.subarray(at, at + outlineLength)].filter((part, index) => index < halves || part !== 0);
  }
}

/** Texts of which less is the same are two, whatever a canonical link says. */
const leastInCommon = 0.6;

/** Whether two pages are of one language, tell the same facts and say mostly the same. */
export function isSameOutline(one: Outline, other: Outline): boolean {
  for (let half = 0; half < halves; half++) if (one[half] !== other[half]) return false;
  const marks = new Set(one.slice(halves));
  const others = new Set(other.slice(halves));
  const common = [...marks].filter((mark) => others.has(mark)).length;
  return common > 0 && common / Math.max(marks.size, others.size) >= leastInCommon;
}
