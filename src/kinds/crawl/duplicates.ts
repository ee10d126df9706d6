import { HashSet } from "./hash-set.ts";
import { distance, type Fingerprint } from "./similarity.ts";

/** Pages whose fingerprints differ in no more bits than this say the same. */
const nearBits = 3;
/** Pages of one template may fill a bucket; looking at the newest of them is enough. */
const mostCompared = 32;

/** Remembers the content of pages, to tell whether a page says anything new. */
export class Duplicates {
  readonly #contents = new HashSet();
  /** By each quarter of the fingerprint: those that differ in three bits at most have one quarter in common. */
  readonly #quarters = [0, 1, 2, 3].map(() => new Map<number, Fingerprint[]>());

  find(content: number, print: Fingerprint | undefined): "exact" | "near" | undefined {
    if (this.#contents.has(content)) return "exact";
    if (print === undefined) return undefined;
    const isNear = this.#quarters.some((quarter, index) =>
      (quarter.get(quarterOf(print, index)) ?? []).some((other) => distance(print, other) <= nearBits),
    );
    return isNear ? "near" : undefined;
  }

  add(content: number, print: Fingerprint | undefined): void {
    this.#contents.add(content);
    if (print === undefined) return;
    this.#quarters.forEach((quarter, index) => {
      const key = quarterOf(print, index);
      const bucket = quarter.get(key);
      if (bucket === undefined) quarter.set(key, [print]);
      else {
        if (bucket.length >= mostCompared) bucket.shift();
        bucket.push(print);
      }
    });
  }
}

function quarterOf([high, low]: Fingerprint, index: number): number {
  const half = index < 2 ? high : low;
  return index % 2 === 0 ? half >>> 16 : half & 0xffff;
}
