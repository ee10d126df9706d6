/** Four marks that pages which say the same have mostly in common, then 32 counts that tell in how much two pages differ. */
export type Fingerprint = readonly number[];

export const markCount = 4;
const places = 32;
const noMark = 0xffffffff;
/** In a shorter text every word counts. */
const fewestWords = 100;

/**
 * Made of a text's runs of three words. Every run is counted, up to 256 and then from 0 again, in the place that its hash gives it.
 * Runs that two texts share are counted in the same places, so what is left between them is what they do not share, however long
 * they are. A mark is the smallest hash of a quarter of the runs, with the title's.
 */
export class TextSketch {
  readonly #marks = Array.from({ length: markCount }, () => noMark);
  readonly #counts = new Uint8Array(places);
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
    const place = run % places;
    this.#counts[place] = (this.#counts[place] ?? 0) + 1;
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
    return [...marks, ...this.#counts];
  }
}

/** In how many runs two texts differ, or fewer: those that fall into one place may cancel out. Six for a word that was changed. */
export function distance(a: Fingerprint, b: Fingerprint): number {
  let runs = 0;
  for (let i = markCount; i < a.length; i++) {
    const difference = Math.abs((a[i] ?? 0) - (b[i] ?? 0));
    runs += Math.min(difference, 256 - difference);
  }
  return runs;
}

function mix(value: number): number {
  let hash = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
