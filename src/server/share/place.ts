import type { Engine } from "../../engine/engine.ts";
import { LonghaulError } from "../../job/error.ts";
import type { Job } from "../../job/job.ts";
import { takeSeat, type Seat, type SeatOptions } from "./seat.ts";

/** A process's place at the home, through all changes of who owns it. */
export class Place {
  readonly #options: SeatOptions;
  readonly #onFinished: (job: Job) => void;
  readonly #leaving = new AbortController();
  #seat: Promise<Seat>;
  #current: Seat | undefined;
  #left: Promise<void> | undefined;

  /** Resolves when this process has a seat; rejects when it can have none. */
  static async take(options: SeatOptions, onFinished: (job: Job) => void): Promise<Place> {
    const place = new Place(options, onFinished);
    await place.#seat;
    return place;
  }

  private constructor(options: SeatOptions, onFinished: (job: Job) => void) {
    this.#options = options;
    this.#onFinished = onFinished;
    this.#seat = this.#sit();
  }

  get isLeft(): boolean {
    return this.#left !== undefined;
  }

  /** Where the engine is now: waits while nobody owns the home. */
  seat(): Promise<Seat> {
    if (this.isLeft) return Promise.reject(new LonghaulError("stopped", "The engine has stopped."));
    return this.#seat;
  }

  ownEngine(): Engine | undefined {
    return this.#current?.type === "owner" ? this.#current.engine : undefined;
  }

  requireOwn(): Engine {
    const engine = this.ownEngine();
    if (engine === undefined) throw new LonghaulError("conflict", "The jobs run in another process.");
    return engine;
  }

  leave(closeRest: () => Promise<void>): Promise<void> {
    this.#left ??= this.#leave(closeRest);
    return this.#left;
  }

  async #leave(closeRest: () => Promise<void>): Promise<void> {
    this.#leaving.abort();
    const seat = await this.#seat.catch(() => undefined);
    await seat?.leave();
    await closeRest();
  }

  async #sit(): Promise<Seat> {
    const seat = await takeSeat(this.#options, this.#onFinished, this.#leaving.signal);
    this.#current = seat;
    if (seat.type === "member") void seat.link.ended.then(() => this.#sitAgain());
    return seat;
  }

  /** The owner has gone. If no seat can be had now, the next call tries again. */
  #sitAgain(): void {
    if (this.isLeft) return;
    this.#current = undefined;
    const seat = this.#sit();
    this.#seat = seat;
    seat.catch((error: unknown) => {
      if (this.isLeft) return;
      this.#options.log?.({ level: "error", message: "no process owns the home, and this one cannot", error });
      setTimeout(() => this.#sitAgain(), retryMs);
    });
  }
}

const retryMs = 1_000;
