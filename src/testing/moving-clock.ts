import { systemClock, type Clock } from "../engine/clock.ts";

interface Timer {
  readonly dueAt: number;
  readonly call: () => void;
  cancel: () => void;
}

/** Time that passes as it does, and that a test can move on: what is due by then happens at once, in its order. */
export class MovingClock implements Clock {
  readonly #timers = new Set<Timer>();
  #aheadMs = 0;

  readonly now = (): number => Math.floor(systemClock.now() + this.#aheadMs);
  readonly monotonic = (): number => systemClock.monotonic() + this.#aheadMs;
  readonly after = (delayMs: number, call: () => void): (() => void) => {
    const timer: Timer = { dueAt: this.monotonic() + Math.max(0, delayMs), call, cancel: () => undefined };
    this.#timers.add(timer);
    this.#arm(timer);
    return () => this.#drop(timer);
  };

  /** Moves time on; resolves when what was due has been set off. */
  async advance(durationMs: number): Promise<void> {
    const endMs = this.monotonic() + durationMs;
    for (let timer = this.#next(endMs); timer !== undefined; timer = this.#next(endMs)) {
      this.#aheadMs += Math.max(0, timer.dueAt - this.monotonic());
      this.#fire(timer);
      await turns();
    }
    this.#aheadMs += Math.max(0, endMs - this.monotonic());
    for (const timer of this.#timers) this.#arm(timer);
    await turns();
  }

  #arm(timer: Timer): void {
    timer.cancel();
    timer.cancel = systemClock.after(timer.dueAt - this.monotonic(), () => this.#fire(timer));
  }

  #fire(timer: Timer): void {
    this.#drop(timer);
    timer.call();
  }

  #drop(timer: Timer): void {
    timer.cancel();
    this.#timers.delete(timer);
  }

  #next(endMs: number): Timer | undefined {
    let first: Timer | undefined;
    for (const timer of this.#timers) {
      if (timer.dueAt <= endMs && (first === undefined || timer.dueAt < first.dueAt)) first = timer;
    }
    return first;
  }
}

/** Lets the event loop turn often enough for a few commits in a row, and for what follows from them. */
async function turns(count = 8): Promise<void> {
  for (let turn = 0; turn < count; turn++) {
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  }
}
