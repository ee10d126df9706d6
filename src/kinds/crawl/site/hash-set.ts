const smallest = 1_024;

/** Hashes at eight bytes each (a `Set` takes five times as much): what a long crawl has seen must stay small. */
export class HashSet {
  #slots = new Float64Array(smallest);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  has(hash: number): boolean {
    return this.#slots[findSlot(this.#slots, toSlotValue(hash))] !== 0;
  }

  /** False if it was there already. */
  add(hash: number): boolean {
    const value = toSlotValue(hash);
    const slot = findSlot(this.#slots, value);
    if (this.#slots[slot] !== 0) return false;
    this.#slots[slot] = value;
    this.#size += 1;
    if (this.#size * 4 > this.#slots.length * 3) this.#grow();
    return true;
  }

  #grow(): void {
    const before = this.#slots;
    this.#slots = new Float64Array(before.length * 2);
    for (const value of before) if (value !== 0) this.#slots[findSlot(this.#slots, value)] = value;
  }
}

/** As a `HashSet`, with a whole number for each hash, at twelve bytes. */
export class HashIndex {
  #slots = new Float64Array(smallest);
  #numbers = new Uint32Array(smallest);
  #size = 0;

  get(hash: number): number | undefined {
    const slot = findSlot(this.#slots, toSlotValue(hash));
    return this.#slots[slot] === 0 ? undefined : this.#numbers[slot];
  }

  /** What is there already stays. */
  add(hash: number, number: number): void {
    const value = toSlotValue(hash);
    const slot = findSlot(this.#slots, value);
    if (this.#slots[slot] !== 0) return;
    this.#slots[slot] = value;
    this.#numbers[slot] = number;
    this.#size += 1;
    if (this.#size * 4 > this.#slots.length * 3) this.#grow();
  }

  #grow(): void {
    const [slots, numbers] = [this.#slots, this.#numbers];
    this.#slots = new Float64Array(slots.length * 2);
    this.#numbers = new Uint32Array(slots.length * 2);
    slots.forEach((value, index) => {
      if (value === 0) return;
      const slot = findSlot(this.#slots, value);
      this.#slots[slot] = value;
      this.#numbers[slot] = numbers[index] ?? 0;
    });
  }
}

/** Where a value is, or else the free slot for it. */
function findSlot(slots: Float64Array, value: number): number {
  const mask = slots.length - 1;
  let slot = ((value % 4_294_967_296) >>> 0) & mask;
  while (slots[slot] !== 0 && slots[slot] !== value) slot = (slot + 1) & mask;
  return slot;
}

/** Zero marks a free slot. */
function toSlotValue(hash: number): number {
  return hash === 0 ? 1 : hash;
}

/** 53 bits of a text's hash, as many as a number holds exactly: among a million texts two meet once in 20,000 crawls. */
export function hashText(text: string, seed = 0): number {
  let high = 0xdeadbeef ^ seed;
  let low = 0x41c6ce57;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    high = Math.imul(high ^ code, 2_654_435_761);
    low = Math.imul(low ^ code, 1_597_334_677);
  }
  high = Math.imul(high ^ (high >>> 16), 2_246_822_507) ^ Math.imul(low ^ (low >>> 13), 3_266_489_909);
  low = Math.imul(low ^ (low >>> 16), 2_246_822_507) ^ Math.imul(high ^ (high >>> 13), 3_266_489_909);
  return 4_294_967_296 * (2_097_151 & low) + (high >>> 0);
}
