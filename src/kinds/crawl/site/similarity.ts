import { HashIndex } from "./hash-set.ts";

/** Four marks that pages which say the same have mostly in common, then 32 counts that tell in how much two pages differ. */
export type Fingerprint = readonly number[];

const markCount = 4;
const places = 32;
const noMark = 0xffffffff;
export const gistLength = 16;
/** In a shorter text every word counts. */
const fewestWords = 100;

/**
 * Made of a text's runs of three words. Every run is counted, up to 256 and then from 0 again, in the place that its hash gives it.
 * Runs that two texts share are counted in the same places, so what is left between them is what they do not share, however long
 * they are. A mark is the smallest hash of a quarter of the runs, with what else must be the same.
 */
export class TextSketch {
  readonly #marks = Array.from({ length: markCount }, () => noMark);
  readonly #counts = new Uint8Array(places);
  /** The smallest hashes of all, in order. */
  readonly #gist: number[] = [];
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
    const mark = mix(run);
    if (this.#gist.length < gistLength || mark < (this.#gist.at(-1) ?? 0)) this.#addToGist(mark);
    if (this.#words < 3) return;
    const place = run % places;
    this.#counts[place] = (this.#counts[place] ?? 0) + 1;
    const quarter = (run >>> 7) % markCount;
    if (mark < (this.#marks[quarter] ?? 0)) this.#marks[quarter] = mark;
  }

  /** Undefined for a text that is too short to have one. */
  fingerprint(seed: number): Fingerprint | undefined {
    if (this.#words < fewestWords) return undefined;
    // A quarter without runs would be like that of any other text that repeats itself.
    const least = Math.min(...this.#marks);
    const marks = this.#marks.map((mark) => mix((mark === noMark ? least : mark) ^ seed));
    return [...marks, ...this.#counts];
  }

  /** Enough of any text, however short, to tell whether another says mostly the same. */
  get gist(): readonly number[] {
    // Sixteen bits of each, and none of them zero.
    return this.#gist.map((mark) => (mark & 0xffff) | 1);
  }

  #addToGist(mark: number): void {
    const after = this.#gist.findIndex((other) => other >= mark);
    if (this.#gist[after] === mark) return;
    this.#gist.splice(after === -1 ? this.#gist.length : after, 0, mark);
    if (this.#gist.length > gistLength) this.#gist.pop();
  }
}

/** In how many runs two texts differ, or fewer: those that fall into one place may cancel out. Six for a word that was changed. */
function distance(a: Fingerprint, b: Fingerprint): number {
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

const openBracket = 0x28;
const closeBracket = 0x29;
const squareBracket = 0x5d;

/**
 * Tells the hash of each word of a Markdown text, case apart, and whether it is nothing but a number. The targets of links are left
 * out: pages that say the same may lead to different places. Signs of scripts without spaces are words of their own.
 */
export function hashWords(
  markdown: string,
  onWord: (hash: number, isNumber: boolean) => void,
  start = 0,
  end = markdown.length,
): void {
  let hash = 0;
  let isNumber = true;
  for (let i = start; i < end; i++) {
    const code = markdown.charCodeAt(i);
    if (isWordCharacter(code)) {
      if (code >= 0x2e80) {
        if (hash !== 0) onWord(hash, isNumber);
        hash = 0;
        isNumber = true;
        onWord(code, false);
      } else {
        hash = Math.imul((hash === 0 ? 0x811c9dc5 : hash) ^ (code >= 65 && code <= 90 ? code + 32 : code), 0x01000193);
        if (code > 57) isNumber = false;
      }
      continue;
    }
    if (hash !== 0) onWord(hash, isNumber);
    hash = 0;
    isNumber = true;
    if (code === squareBracket && markdown.charCodeAt(i + 1) === openBracket) {
      while (i < end && markdown.charCodeAt(i) !== closeBracket) i++;
    }
  }
  if (hash !== 0) onWord(hash, isNumber);
}

function isWordCharacter(code: number): boolean {
  if (code < 0x80) return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57);
  // Beyond ASCII nearly all are; the exceptions are Latin-1's signs and general and East Asian punctuation.
  return code >= 0xc0 && !(code >= 0x2000 && code <= 0x206f) && !(code >= 0x3000 && code <= 0x303f);
}

/** Two words that were changed, or one passage of four; what is more may be what the page is about. */
const nearRuns = 12;
/** Pages of one template may fill a bucket; looking at the newest of them is enough. */
const maxCompared = 32;

/** A page that was kept, by its number, and in what another is like it. */
export interface Likeness {
  readonly of: "exact" | "near";
  readonly page: number;
}

interface Known {
  readonly print: Fingerprint;
  readonly page: number;
}

/** Remembers the content of pages, to tell whether a page says anything new. */
export class Duplicates {
  readonly #contents = new HashIndex();
  /** By each mark of the fingerprint: those that differ in a few words have one in common. */
  readonly #marks = Array.from({ length: markCount }, () => new Map<number, Known[]>());

  find(content: number, print: Fingerprint | undefined): Likeness | undefined {
    const page = this.#contents.get(content);
    if (page !== undefined) return { of: "exact", page };
    if (print === undefined) return undefined;
    let near: Known | undefined;
    this.#marks.forEach((mark, index) => {
      near ??= mark.get(print[index] ?? 0)?.find((other) => distance(print, other.print) <= nearRuns);
    });
    return near === undefined ? undefined : { of: "near", page: near.page };
  }

  add(content: number, print: Fingerprint | undefined, page: number): void {
    this.#contents.add(content, page);
    if (print === undefined) return;
    const known = { print, page };
    this.#marks.forEach((mark, index) => {
      const key = print[index] ?? 0;
      const bucket = mark.get(key);
      if (bucket === undefined) mark.set(key, [known]);
      else {
        if (bucket.length >= maxCompared) bucket.shift();
        bucket.push(known);
      }
    });
  }
}
