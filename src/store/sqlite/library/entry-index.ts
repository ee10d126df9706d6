import { vectorLength } from "../../../library/features.ts";
import type { EntryFacts, EntryKind, Wish } from "../../../library/library.ts";

/** What of an entry decides whether it is looked at. */
export interface IndexedEntry {
  readonly num: number;
  readonly page: number;
  readonly owner: string;
  /** The owner's page, whichever analysis of it this is. */
  readonly address: string;
  readonly kind: EntryKind;
  readonly type: string;
  /** Those by which is searched. */
  readonly facts: EntryFacts;
}

/** All entries' vectors in memory, one after the other: looking at each takes less than asking the database for some. */
export class EntryIndex {
  readonly #entries: IndexedEntry[] = [];
  readonly #places = new Map<number, number>();
  #vectors = new Float32Array(vectorLength * 1_024);

  get size(): number {
    return this.#entries.length;
  }

  add(entry: IndexedEntry, vector: ArrayLike<number>): void {
    const place = this.#entries.push(entry) - 1;
    this.#places.set(entry.num, place);
    if ((place + 1) * vectorLength > this.#vectors.length) {
      const larger = new Float32Array(this.#vectors.length * 2);
      larger.set(this.#vectors);
      this.#vectors = larger;
    }
    for (let at = 0; at < vectorLength; at++) this.#vectors[place * vectorLength + at] = vector[at] ?? 0;
  }

  clear(): void {
    this.#entries.length = 0;
    this.#places.clear();
  }

  removePage(page: number): void {
    for (let place = this.#entries.length - 1; place >= 0; place--) {
      if (this.#entries[place]?.page === page) this.#removeAt(place);
    }
  }

  at(place: number): IndexedEntry | undefined {
    return this.#entries[place];
  }

  placeOf(num: number): number | undefined {
    return this.#places.get(num);
  }

  vectorAt(place: number): Float32Array {
    return this.#vectors.subarray(place * vectorLength, (place + 1) * vectorLength);
  }

  /** How far an entry has what is wished for, from 0 to 1. */
  match(place: number, wishes: readonly Wish[]): number {
    const vectors = this.#vectors;
    const start = place * vectorLength;
    let sum = 0;
    for (const wish of wishes) sum += 1 - Math.abs((vectors[start + wish.place] ?? 0) - wish.value);
    return wishes.length === 0 ? 0 : sum / wishes.length;
  }

  /** The cosine of the angle to another vector. */
  likeness(place: number, other: Float32Array): number {
    const vectors = this.#vectors;
    const start = place * vectorLength;
    let product = 0;
    let one = 0;
    let two = 0;
    for (let at = 0; at < vectorLength; at++) {
      const a = vectors[start + at] ?? 0;
      const b = other[at] ?? 0;
      product += a * b;
      one += a * a;
      two += b * b;
    }
    return one === 0 || two === 0 ? 0 : product / Math.sqrt(one * two);
  }

  /** The last one takes its place. */
  #removeAt(place: number): void {
    const gone = this.#entries[place];
    const last = this.#entries.pop();
    if (gone === undefined || last === undefined) return;
    this.#places.delete(gone.num);
    if (gone === last) return;
    this.#vectors.copyWithin(
      place * vectorLength,
      this.#entries.length * vectorLength,
      (this.#entries.length + 1) * vectorLength,
    );
    this.#entries[place] = last;
    this.#places.set(last.num, place);
  }
}
