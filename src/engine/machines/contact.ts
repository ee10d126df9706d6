import type { Clock } from "../clock.ts";

/**
 * How well the store hears this engine. A beat counts from when it was sent, because the leases that it extends do; all by the monotonic
 * clock, which nobody sets.
 */
export class Contact {
  readonly #clock: Clock;
  readonly #leaseMs: number;
  #heardAt = -Infinity;
  #steadySince = -Infinity;

  constructor(clock: Clock, leaseMs: number) {
    this.#clock = clock;
    this.#leaseMs = leaseMs;
  }

  /** A beat that was sent at this time was answered. */
  heard(sentAt: number): void {
    if (sentAt - this.#heardAt > this.#leaseMs) this.#steadySince = sentAt;
    this.#heardAt = Math.max(this.#heardAt, sentAt);
  }

  silentMs(): number {
    return this.#clock.monotonic() - this.#heardAt;
  }

  /** The leases of this engine have not run out. */
  get isHeard(): boolean {
    return this.silentMs() <= this.#leaseMs;
  }

  /** For how long its leases would not have run out at any time: since the start, or since the store could not be reached. */
  steadyMs(): number {
    return this.isHeard ? this.#heardAt - this.#steadySince : 0;
  }
}
