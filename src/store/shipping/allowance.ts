/** How many bytes may go now, if no more than so many go per second; what is not used counts for a second. */
export class Allowance {
  readonly #perSecond: number;
  #left: number;
  #at = performance.now();

  constructor(perSecond: number) {
    this.#perSecond = perSecond;
    this.#left = perSecond;
  }

  left(): number {
    const now = performance.now();
    this.#left = Math.min(this.#perSecond, this.#left + ((now - this.#at) / 1_000) * this.#perSecond);
    this.#at = now;
    return this.#left;
  }

  /** May take more than is left: then nothing is left for longer. */
  take(bytes: number): void {
    this.#left -= bytes;
  }
}
