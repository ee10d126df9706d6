import { HashSet } from "./hash-set.ts";
import { distance, markCount, type Fingerprint } from "./similarity.ts";

/** Two words that were changed, or one passage of four; what is more may be what the page is about. */
const nearRuns = 12;
/** Pages of one template may fill a bucket; looking at the newest of them is enough. */
const mostCompared = 32;

/** Remembers the content of pages, to tell whether a page says anything new. */
export class Duplicates {
  readonly #contents = new HashSet();
  /** By each mark of the fingerprint: those that differ in a few words have one in common. */
  readonly #marks = Array.from({ length: markCount }, () => new Map<number, Fingerprint[]>());

  find(content: number, print: Fingerprint | undefined): "exact" | "near" | undefined {
    if (this.#contents.has(content)) return "exact";
    if (print === undefined) return undefined;
    const isNear = this.#marks.some((mark, index) =>
      mark.get(print[index] ?? 0)?.some((other) => distance(print, other) <= nearRuns),
    );
    return isNear ? "near" : undefined;
  }

  add(content: number, print: Fingerprint | undefined): void {
    this.#contents.add(content);
    if (print === undefined) return;
    this.#marks.forEach((mark, index) => {
      const key = print[index] ?? 0;
      const bucket = mark.get(key);
      if (bucket === undefined) mark.set(key, [print]);
      else {
        if (bucket.length >= mostCompared) bucket.shift();
        bucket.push(print);
      }
    });
  }
}
