import { createHash } from "node:crypto";

/** What rows are, whatever their order: how many, and the sum of their digests. */
export interface Digest {
  readonly count: number;
  readonly sum: string;
}

export class RowDigest {
  #count = 0;
  #sum = 0n;

  add(values: readonly unknown[]): void {
    const hash = createHash("sha256").update(JSON.stringify(values)).digest();
    this.#sum = BigInt.asUintN(64, this.#sum + hash.readBigUInt64BE());
    this.#count += 1;
  }

  get value(): Digest {
    return { count: this.#count, sum: this.#sum.toString(16) };
  }
}

export function isSame(one: Digest, other: Digest): boolean {
  return one.count === other.count && one.sum === other.sum;
}
