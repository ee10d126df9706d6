/** When a platform is asked about a job: after a pause, or at once when somebody wants to know how it stands. */
export class Rhythm {
  #wake: (() => void) | undefined;
  #isHeldBack = false;
  /** Who wants to know. */
  readonly #curious = new Set<() => void>();

  /** Waits so long, or until somebody is curious. */
  async pause(ms: number, signal: AbortSignal): Promise<void> {
    if (this.#curious.size > 0) return;
    await this.#sleep(ms, signal, (wake) => (this.#wake = wake));
    this.#wake = undefined;
  }

  /** Waits so long, whoever is curious: the platform wants it so. */
  async holdBack(ms: number, signal: AbortSignal): Promise<void> {
    this.#isHeldBack = true;
    this.answerAll();
    await this.#sleep(ms, signal);
    this.#isHeldBack = false;
  }

  /** Resolves when the platform has answered a question that is asked from now on, at most so long from now; at once where it is not to be asked yet. */
  async ask(maxMs: number): Promise<void> {
    if (this.#isHeldBack) return;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.#curious.delete(done);
        resolve();
      };
      const timer = setTimeout(done, maxMs);
      this.#curious.add(done);
      this.#wake?.();
    });
  }

  /** The platform is being asked: what it answers is for those who are curious by now. */
  begin(): { answer: () => void } {
    const asking = [...this.#curious];
    return { answer: () => asking.forEach((done) => done()) };
  }

  /** There is nothing more to wait for. */
  answerAll(): void {
    this.begin().answer();
  }

  #sleep(ms: number, signal: AbortSignal, onStart?: (end: () => void) => void): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        signal.removeEventListener("abort", end);
        resolve();
      };
      const timer = setTimeout(end, ms);
      signal.addEventListener("abort", end, { once: true });
      onStart?.(end);
      if (signal.aborted) end();
    });
  }
}
