const smallest = 1_024;

/** Hashes at eight bytes each (a `Set` takes five times as much): what a long crawl has seen must stay small. */
export class HashSet {
  #slots = new Float64Array(smallest);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  has(hash: number): boolean {
    return this.#slots[this.#find(toSlotValue(hash))] !== 0;
  }

  /** False if it was there already. */
  add(hash: number): boolean {
    const value = toSlotValue(hash);
    const slot = this.#find(value);
    if (this.#slots[slot] !== 0) return false;
    this.#slots[slot] = value;
    this.#size += 1;
    if (this.#size * 4 > this.#slots.length * 3) this.#grow();
    return true;
  }

  #find(value: number): number {
    const mask = this.#slots.length - 1;
    let slot = ((value % 4_294_967_296) >>> 0) & mask;
    while (this.#slots[slot] !== 0 && this.#slots[slot] !== value) slot = (slot + 1) & mask;
    return slot;
  }

  #grow(): void {
    const before = this.#slots;
    this.#slots = new Float64Array(before.length * 2);
    for (const value of before) if (value !== 0) this.#slots[this.#find(value)] = value;
  }
}

/** Zero marks a free slot. */
function toSlotValue(hash: number): number {
  return hash === 0 ? 1 : hash;
}
