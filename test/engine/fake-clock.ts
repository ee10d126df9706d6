import type { Clock } from "../../src/index.ts";

interface Timer {
  readonly dueAt: number;
  readonly call: () => void;
}

/** Time that passes only when a test says so. */
export class FakeClock implements Clock {
  readonly #timers = new Set<Timer>();
  #elapsedMs = 0;
  #setMs = Date.UTC(2026, 0, 1);

  readonly now = (): number => Math.floor(this.#setMs + this.#elapsedMs);
  readonly monotonic = (): number => this.#elapsedMs;
  readonly after = (delayMs: number, call: () => void): (() => void) => {
    const timer = { dueAt: this.#elapsedMs + Math.max(0, delayMs), call };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  };

  /** Lets time pass: timers fire in order, and what each sets off is done before the next. */
  async advance(durationMs: number): Promise<void> {
    const endMs = this.#elapsedMs + durationMs;
    await turns();
    for (let timer = this.#next(endMs); timer !== undefined; timer = this.#next(endMs)) {
      this.#timers.delete(timer);
      this.#elapsedMs = timer.dueAt;
      timer.call();
      await turns();
    }
    this.#elapsedMs = endMs;
  }

  /** How many wait for time to pass. */
  get waiting(): number {
    return this.#timers.size;
  }

  /** Somebody sets the machine's clock: the time of day changes, but no time passes. */
  jump(stepMs: number): void {
    this.#setMs += stepMs;
  }

  #next(endMs: number): Timer | undefined {
    const due = [...this.#timers].filter(({ dueAt }) => dueAt <= endMs);
    return due.reduce<Timer | undefined>(
      (first, timer) => (first && first.dueAt <= timer.dueAt ? first : timer),
      undefined,
    );
  }
}

/** Lets the event loop turn often enough for a few commits in a row, and for what follows from them. */
export async function turns(count = 8): Promise<void> {
  for (let turn = 0; turn < count; turn++) {
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  }
}
