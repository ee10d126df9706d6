/** Four marks that pages which say the same have mostly in common, then 128 bits that tell in how much two pages differ. */
export type Fingerprint = readonly number[];

export const markCount = 4;
const bitWords = 4;
const noMark = 0xffffffff;
/** In a shorter text every word counts. */
const fewestWords = 100;

/**
 * Made of a text's runs of three words. Every run turns one of the bits over. Runs that two texts share turn the same bits, so
 * what is left between them is what they do not share, however long they are. A mark is the smallest hash of a quarter of the
 * runs, with the title's.
 */
export class TextSketch {
  readonly #marks = Array.from({ length: markCount }, () => noMark);
  readonly #bits = Array.from({ length: bitWords }, () => 0);
  #words = 0;
  #last = 0;
  #lastButOne = 0;

  get words(): number {
    return this.#words;
  }

  /** Takes the hash of the next word. */
  add(word: number): void {
    const run = mix(Math.imul(this.#lastButOne, 3) ^ mix(Math.imul(this.#last, 5) ^ word));
    this.#lastButOne = this.#last;
    this.#last = word;
    this.#words += 1;
    if (this.#words < 3) return;
    const slot = (run >>> 5) % bitWords;
    this.#bits[slot] = (this.#bits[slot] ?? 0) ^ (1 << (run & 31));
    const quarter = (run >>> 7) % markCount;
    const mark = mix(run);
    if (mark < (this.#marks[quarter] ?? 0)) this.#marks[quarter] = mark;
  }

  /** Undefined for a text that is too short to have one. */
  fingerprint(titleHash: number): Fingerprint | undefined {
    if (this.#words < fewestWords) return undefined;
    // A quarter without runs would be like that of any other text that repeats itself.
    const least = Math.min(...this.#marks);
    const marks = this.#marks.map((mark) => mix((mark === noMark ? least : mark) ^ titleHash));
    return [...marks, ...this.#bits];
  }
}

/** How many of their bits differ: never more than runs do, which are six for a word that was changed. */
export function distance(a: Fingerprint, b: Fingerprint): number {
  let bits = 0;
  for (let i = markCount; i < markCount + bitWords; i++) bits += bitsIn((a[i] ?? 0) ^ (b[i] ?? 0));
  return bits;
}

function mix(value: number): number {
  let hash = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

function bitsIn(value: number): number {
  let left = value >>> 0;
  let bits = 0;
  for (; left !== 0; bits++) left &= left - 1;
  return bits;
}
