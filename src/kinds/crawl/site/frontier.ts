import { HashSet, hashText } from "./hash-set.ts";

export interface FrontierEntry {
  readonly url: string;
  readonly depth: number;
  /** How many redirects led here. */
  readonly hops: number;
}

/**
 * URLs that are to be visited, first come, first served, each once. More than `most` are not taken: they would never get
 * their turn, so nothing but memory is saved.
 */
export class Frontier {
  readonly #seen = new HashSet();
  readonly #max: number;
  #queue: FrontierEntry[] = [];
  #head = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** URLs that wait for their turn. */
  get waiting(): number {
    return this.#queue.length - this.#head;
  }

  get known(): number {
    return this.#seen.size;
  }

  /** How many more are taken. */
  get room(): number {
    return Math.max(0, this.#max - this.#seen.size);
  }

  has(url: string): boolean {
    return this.hasHash(hashText(url));
  }

  hasHash(hash: number): boolean {
    return this.#seen.has(hash);
  }

  /** Marks a URL as known without visiting it; false if it was known. */
  claim(url: string): boolean {
    return this.#seen.add(hashText(url));
  }

  add(entry: FrontierEntry): void {
    if (this.room > 0 && this.claim(entry.url)) this.#queue.push(entry);
  }

  take(): FrontierEntry | undefined {
    const entry = this.#queue[this.#head];
    if (entry === undefined) return undefined;
    this.#head += 1;
    if (this.#head > 1_000 && this.#head * 2 > this.#queue.length) {
      this.#queue = this.#queue.slice(this.#head);
      this.#head = 0;
    }
    return entry;
  }

  /** Leaves out what was visited already: called once, after what is on record was read back. */
  forget(visited: HashSet): void {
    this.#queue = this.#queue.slice(this.#head).filter(({ url }) => !visited.has(hashText(url)));
    this.#head = 0;
  }
}
