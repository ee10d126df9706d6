/**
 * Far more than the clocks of machines differ, and than a call waits behind others: a time that was noted and is further ahead comes from before
 * a clock was set back.
 */
export const maxAheadMs = 60_000;

/**
 * Notices that the machine's clock was set back, while the store is open or before. What was to happen at a time that the clock has
 * to reach once more would else be late by as much.
 */
export class ClockWatch {
  #latest = Infinity;

  /** Told the time of every claim; true also for the first. */
  isSetBack(now: number): boolean {
    const isEarlier = now < this.#latest;
    this.#latest = now;
    return isEarlier;
  }

  /** After writes were undone: the next claim counts as the first. */
  forget(): void {
    this.#latest = Infinity;
  }
}
