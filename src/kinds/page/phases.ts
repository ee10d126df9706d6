import { JobFailure, messageOf } from "../../job/failure.ts";
import type { JobContext } from "../../job/kind.ts";
import { isBrowserLost } from "../../net/browser/shared-browser.ts";
import { phaseNames, type PhaseName, type PhaseReport } from "./analysis.ts";
import type { PageInput } from "./contract.ts";

/** Where each phase begins, in percent. */
const starts: Readonly<Record<PhaseName, number>> = {
  load: 0,
  layout: 25,
  motion: 40,
  quality: 50,
  responsive: 75,
  performance: 85,
  report: 93,
};

/**
 * Runs the phases of one analysis. What a phase returned is kept as a piece of the attempt, so an attempt that lost its worker or its
 * browser goes on after the last phase that was done.
 */
export class Phases {
  readonly #context: JobContext;
  readonly #timeouts: PageInput["timeouts_ms"];
  readonly #reports = new Map<PhaseName, PhaseReport>();
  readonly #deadline: number;

  constructor(context: JobContext, timeouts: PageInput["timeouts_ms"]) {
    this.#context = context;
    this.#timeouts = timeouts;
    this.#deadline = performance.now() + timeouts.total;
  }

  get reports(): PhaseReport[] {
    return phaseNames.flatMap((name) => this.#reports.get(name) ?? []);
  }

  /** The first phase that came to nothing. */
  get failed(): PhaseReport | undefined {
    return this.reports.find(({ state }) => state === "failed" || state === "timed_out");
  }

  skip(name: PhaseName, reason: string): undefined {
    this.#reports.set(name, { name, state: "skipped", ms: 0, reason });
  }

  /** What the phase returns; undefined when it failed by itself, which is noted with its reason. */
  async run<T extends object>(name: PhaseName, work: (signal: AbortSignal) => Promise<T>): Promise<T | undefined> {
    const kept = await this.#load(name);
    this.#context.progress({ percent: starts[name], phase: name });
    if (kept !== undefined) {
      this.#reports.set(name, { name, state: "done", ms: kept.ms });
      return kept.value as T;
    }
    const startedAt = performance.now();
    try {
      const value = await this.within(name, work);
      const ms = Math.round(performance.now() - startedAt);
      await this.#context.pieces.save(name, JSON.stringify({ value, ms }));
      this.#reports.set(name, { name, state: "done", ms });
      return value;
    } catch (error) {
      this.#context.signal.throwIfAborted();
      if (isBrowserLost(error)) throw error;
      const state = error instanceof PhaseTimeout ? "timed_out" : "failed";
      this.#reports.set(name, {
        name,
        state,
        ms: Math.round(performance.now() - startedAt),
        reason: messageOf(error).slice(0, 500),
      });
      if (name === "load") throw error;
      this.#context.log(`${name} failed: ${messageOf(error)}`, "warn");
      return undefined;
    }
  }

  /** Gives up what takes longer than this phase may, or all of them together. */
  async within<T>(name: PhaseName, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    // What was found is told in any case.
    const totalLeft = name === "report" ? Infinity : this.#deadline - performance.now();
    const ms = Math.min(this.#timeouts[name], totalLeft);
    if (ms <= 0) {
      throw new PhaseTimeout(`The analysis used up its ${this.#timeouts.total / 1_000} s before the phase ${name}.`);
    }
    const controller = new AbortController();
    const stop = (): void => controller.abort(this.#context.signal.reason);
    this.#context.signal.addEventListener("abort", stop, { once: true });
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => {
        const error = new PhaseTimeout(`The phase ${name} was not done within ${Math.round(ms / 100) / 10} s.`);
        controller.abort(error);
        reject(error);
      }, ms);
      controller.signal.addEventListener("abort", () => reject(controller.signal.reason), { once: true });
    });
    const working = work(controller.signal);
    // Its end is of no interest once it is late, but must not go unhandled.
    working.catch(() => undefined);
    try {
      return await Promise.race([working, late]);
    } finally {
      clearTimeout(timer);
      this.#context.signal.removeEventListener("abort", stop);
    }
  }

  async #load(name: PhaseName): Promise<{ value: object; ms: number } | undefined> {
    const kept = await this.#context.pieces.load(name);
    if (kept === undefined) return undefined;
    try {
      return JSON.parse(Buffer.from(kept).toString()) as { value: object; ms: number };
    } catch {
      // A power cut has left nothing in the file: then it is done again.
      return undefined;
    }
  }
}

class PhaseTimeout extends JobFailure {
  constructor(message: string) {
    super("timed_out", message, { endsAs: "timed_out" });
  }
}
