import type { JobEvent } from "../job/event.ts";
import type { JobId } from "../job/id.ts";
import { isTerminal } from "../job/state.ts";
import type { Hint, Store } from "../store/store.ts";
import type { Clock } from "./clock.ts";

const pageSize = 200;

/**
 * Tells readers that a job has something new. What it is, they read from the store: a slow reader lags behind but
 * costs no memory, and a hint that got lost is made up for by a slow poll.
 */
export class Feed {
  readonly #watchers = new Map<JobId, Set<(hint: Hint) => void>>();
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #pollMs: number;
  readonly #open = new Set<Changes>();
  readonly #unsubscribe: () => void;

  constructor(store: Store, clock: Clock, pollMs: number) {
    this.#store = store;
    this.#clock = clock;
    this.#pollMs = pollMs;
    this.#unsubscribe = store.subscribe((hint) => {
      if ("id" in hint) this.#watchers.get(hint.id)?.forEach((notify) => notify(hint));
    });
  }

  /** The job's events after a sequence number, then each new one as it comes; ends with the job or the signal. */
  async *follow(id: JobId, after: number, signal?: AbortSignal): AsyncGenerator<JobEvent> {
    const changes = this.changes([id], signal);
    let last = after;
    try {
      while (!changes.isAborted) {
        const events = await this.#store.read(id, last, pageSize);
        for (const event of events) {
          last = event.seq;
          yield event;
          // A reader may take its time, and the store may have closed meanwhile.
          if (changes.isAborted) return;
        }
        if (events.length === pageSize) continue;
        const job = await this.#store.get(id);
        const isOver = job === undefined || (isTerminal(job.state) && job.lastSeq <= last);
        if (isOver || (await changes.next()) === "aborted") return;
      }
    } finally {
      changes.close();
    }
  }

  /** A reader's bell for some jobs, rung by the hints that matter to it. Close it when done. */
  changes(ids: readonly JobId[], signal?: AbortSignal, isRelevant: (hint: Hint) => boolean = () => true): Changes {
    const changes = new Changes(this.#clock, this.#pollMs);
    const unwatch = ids.map((id) =>
      this.#watch(id, (hint) => {
        if (isRelevant(hint)) changes.ring(id);
      }),
    );
    const abort = (): void => changes.abort();
    if (signal?.aborted === true) abort();
    signal?.addEventListener("abort", abort);
    this.#open.add(changes);
    changes.onClose = (): void => {
      unwatch.forEach((stop) => stop());
      signal?.removeEventListener("abort", abort);
      this.#open.delete(changes);
    };
    return changes;
  }

  /** Ends every reader. */
  close(): void {
    this.#unsubscribe();
    this.#open.forEach((changes) => changes.abort());
  }

  #watch(id: JobId, notify: (hint: Hint) => void): () => void {
    const watchers = this.#watchers.get(id) ?? new Set();
    this.#watchers.set(id, watchers.add(notify));
    return () => {
      watchers.delete(notify);
      if (watchers.size === 0) this.#watchers.delete(id);
    };
  }
}

/** Rings for what came since it last rang, and after a quiet while by itself. */
export class Changes {
  readonly #clock: Clock;
  readonly #pollMs: number;
  readonly #rang = new Set<JobId>();
  onClose: (() => void) | undefined;
  #isAborted = false;
  #wake: (() => void) | undefined;

  constructor(clock: Clock, pollMs: number) {
    this.#clock = clock;
    this.#pollMs = pollMs;
  }

  get isAborted(): boolean {
    return this.#isAborted;
  }

  ring(id: JobId): void {
    this.#rang.add(id);
    this.#wake?.();
  }

  abort(): void {
    this.#isAborted = true;
    this.#wake?.();
  }

  /** The jobs to look at again: those that rang, or all of them after a quiet while. */
  async next(waitMs = this.#pollMs): Promise<readonly JobId[] | "all" | "aborted"> {
    if (this.#rang.size === 0 && !this.#isAborted) await this.#sleep(Math.min(waitMs, this.#pollMs));
    if (this.#isAborted) return "aborted";
    const rang = [...this.#rang];
    this.#rang.clear();
    return rang.length === 0 ? "all" : rang;
  }

  close(): void {
    this.onClose?.();
  }

  #sleep(delayMs: number): Promise<void> {
    return new Promise((resolve) => {
      const cancelTimer = this.#clock.after(delayMs, () => this.#wake?.());
      this.#wake = (): void => {
        this.#wake = undefined;
        cancelTimer();
        resolve();
      };
    });
  }
}
