import type { Kind } from "../job/kind.ts";
import type { Claim, ClaimWant } from "../store/store.ts";
import type { EngineParts } from "./settings.ts";

interface DispatcherParts extends EngineParts {
  readonly worker: string;
  readonly start: (claim: Claim) => void;
  /** False while this engine is not heard, or something still runs here that was given up. */
  readonly mayClaim: () => boolean;
}

/** Claims jobs while there is room for them. One claim is under way at a time; every wake-up leads to one after it. */
export class Dispatcher {
  readonly #parts: DispatcherParts;
  readonly #running = new Map<string, number>();
  /** Kinds of which the last claim took as many as there was room for. */
  readonly #backlog = new Set<string>();
  #claiming: Promise<void> | undefined;
  #isWoken = false;
  #isStopped = true;
  #cancelTimer: (() => void) | undefined;

  constructor(parts: DispatcherParts) {
    this.#parts = parts;
  }

  /** Nothing is claimed before: jobs that are adopted take their slots first. */
  start(): void {
    this.#isStopped = false;
    this.wake();
  }

  /** Looks for jobs to run. Called in the same turn as a submit, both share one commit. */
  wake(): void {
    if (this.#claiming === undefined) this.#begin();
    else this.#isWoken = true;
  }

  /** As `wake`, for a hint. In an exclusive store a claim that is under way sees all that the hint speaks of. */
  wakeByHint(): void {
    if (this.#claiming === undefined || !this.#parts.store.capabilities.isExclusive) this.wake();
  }

  #begin(): void {
    if (this.#isStopped) return;
    const wants = this.#parts.mayClaim() ? this.#wants() : [];
    if (wants.length === 0) return this.#schedule(Infinity);
    this.#isWoken = false;
    this.#claiming = this.#claim(wants).finally(() => {
      this.#claiming = undefined;
      if (this.#isWoken) this.wake();
    });
  }

  /** Counts an attempt against its kind's slots, also one that was adopted. */
  occupy(kind: string): void {
    this.#running.set(kind, (this.#running.get(kind) ?? 0) + 1);
  }

  /** Frees the slot of an attempt that ends; its kind's next job, if the last claim left any, is claimed with that end. */
  vacate(kind: string): void {
    this.#running.set(kind, (this.#running.get(kind) ?? 0) - 1);
    if (this.#backlog.has(kind)) this.wake();
  }

  runningCount(kind: string): number {
    return this.#running.get(kind) ?? 0;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancelTimer?.();
    await this.#claiming;
  }

  async #claim(wants: ClaimWant[]): Promise<void> {
    const { store, settings, worker, start } = this.#parts;
    try {
      const { clock, leaseMs, machine, labels } = settings;
      const times = { now: clock.now(), monotonic: clock.monotonic(), leaseMs };
      const { claims, nextRunAt } = await store.claim({ worker, machine, labels, ...times, wants });
      this.#noteBacklog(wants, claims);
      // What arrives later may be somebody else's by now: it is rescued like what any other lost worker held.
      const isInTime = store.capabilities.isExclusive || clock.monotonic() - times.monotonic < leaseMs;
      for (const claim of isInTime ? claims : []) start(claim);
      this.#schedule(nextRunAt === undefined ? Infinity : nextRunAt - settings.clock.now());
    } catch (error) {
      settings.log({ level: "error", message: "jobs could not be claimed", error });
      this.#schedule(settings.pollMs);
    }
  }

  #noteBacklog(wants: readonly ClaimWant[], claims: readonly Claim[]): void {
    const counts = new Map<string, number>();
    for (const { job } of claims) counts.set(job.kind, (counts.get(job.kind) ?? 0) + 1);
    for (const { kind, max } of wants) {
      // With a limit per key, jobs may be left although there was room.
      const hasKeyLimit = this.#parts.kinds.get(kind)?.perKey !== undefined;
      if (hasKeyLimit || counts.get(kind) === max) this.#backlog.add(kind);
      else this.#backlog.delete(kind);
    }
  }

  /** Wakes up by itself when the store has said that the next job may start, and every so often. */
  #schedule(nextRunMs: number): void {
    const { settings } = this.#parts;
    this.#cancelTimer?.();
    const delayMs = Math.max(1, Math.min(nextRunMs, settings.pollMs));
    if (!this.#isStopped) this.#cancelTimer = settings.clock.after(delayMs, () => this.wake());
  }

  #wants(): ClaimWant[] {
    const wants: ClaimWant[] = [];
    for (const kind of this.#parts.kinds.values()) {
      const max = this.#freeSlots(kind);
      if (max > 0) wants.push({ kind: kind.name, max });
    }
    return wants;
  }

  #freeSlots(kind: Kind): number {
    return (kind.concurrency ?? this.#parts.settings.concurrency) - this.runningCount(kind.name);
  }
}
