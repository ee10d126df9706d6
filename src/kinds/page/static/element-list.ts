import type { TextRange } from "../../../text/html/page-text.ts";

export type Attributes = Readonly<Record<string, string>>;

/** An element of the page: what it says is a stretch of the page's text, and what it holds are the elements up to its last. */
export interface PageElement extends TextRange {
  readonly name: string;
  readonly attributes: Attributes;
  /** Which element of the page it is. */
  readonly index: number;
  /** The last element in it. */
  readonly last: number;
}

/** Elements of one sort in the order of the page, so that those of one part are found without looking at all others. */
export class ElementList {
  readonly all: PageElement[] = [];

  add(element: PageElement): void {
    this.all.push(element);
  }

  /** How many are in another element. */
  countIn({ index, last }: PageElement): number {
    return this.#after(last) - this.#after(index);
  }

  /** The first that are in another element. */
  firstIn(outer: PageElement, max: number): PageElement[] {
    const from = this.#after(outer.index);
    return this.all.slice(from, from + Math.min(max, this.countIn(outer)));
  }

  /** How many there are up to an element, this one included. */
  #after(index: number): number {
    let [low, high] = [0, this.all.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.all[middle]?.index ?? Infinity) <= index) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** An attribute's beginning; undefined where there is none. */
export function attributeOf({ attributes }: { attributes: Attributes }, name: string, max = 500): string | undefined {
  return attributes[name]?.slice(0, max);
}
