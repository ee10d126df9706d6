import { defined } from "../job/defined.ts";
import type { EventBody } from "../job/event.ts";
import type { JobId } from "../job/id.ts";
import { isConfined } from "../job/job.ts";
import type { ChildRequest, AttemptHandlers } from "../job/kind.ts";
import { isHeld } from "../job/state.ts";
import type { Claim, Created } from "../store/store.ts";
import { sleep } from "./clock.ts";
import type { AttemptCalls } from "./calls/attempt-calls.ts";
import { awaitOpenQuestions, createContext, leaseLost } from "./context.ts";
import { Dispatcher } from "./dispatcher.ts";
import type { Feed } from "./feed.ts";
import { HeldAttempt, note } from "./attempt.ts";
import { Heartbeat } from "./machines/heartbeat.ts";
import { endLeft } from "./machines/left-attempts.ts";
import { rescueAtStart, rescueExpired } from "./machines/rescuer.ts";
import { runAttempt } from "./run-attempt.ts";
import type { EngineParts } from "./settings.ts";
import { submitAll, type Submitter } from "./submit.ts";
import { startWatchdog } from "./watchdog.ts";

interface AttemptsParts extends EngineParts {
  readonly worker: string;
  readonly feed: Feed;
  readonly submitter: Submitter;
  readonly calls: () => AttemptCalls;
  readonly issueToken?: (id: JobId, attempt: number) => string;
}

/** The attempts that this engine holds: starts them, keeps their leases, hands on cancels, and ends them with the engine. */
export class Attempts {
  readonly dispatcher: Dispatcher;
  readonly #parts: AttemptsParts;
  readonly #heartbeat: Heartbeat;
  readonly #runs = new Map<JobId, HeldAttempt>();
  readonly #ends = new Map<HeldAttempt, Promise<void>>();
  /** What was given up and has not ended yet: until then nothing is claimed, because it may be the same job once more. */
  readonly #clearing = new Set<Promise<void>>();
  readonly #closing = new AbortController();
  readonly #unsubscribe: () => void;

  constructor(parts: AttemptsParts) {
    this.#parts = parts;
    this.dispatcher = new Dispatcher({
      ...parts,
      start: (claim) => this.#start(claim),
      mayClaim: () => this.#mayClaim(),
    });
    this.#heartbeat = new Heartbeat({
      ...parts,
      attempts: () => this.#runs.values(),
      onLost: (id) => this.#giveUp(id),
      onCancelled: (id, reason) => this.#cancel(id, reason),
    });
    this.#unsubscribe = parts.store.subscribe((hint) => {
      if (hint.type === "job-ready") this.dispatcher.wakeByHint();
      if (hint.type === "cancel-requested") this.#cancel(hint.id, hint.reason);
    });
  }

  /** Extends the leases of all attempts, and learns which are lost or asked to cancel. */
  async beat(): Promise<void> {
    const wasHeard = this.#mayClaim();
    await this.#heartbeat.beat();
    if (!wasHeard) this.dispatcher.wake();
  }

  /** Stops the attempts whose leases could not be extended in time. */
  fence(): void {
    this.#heartbeat.fence();
  }

  handlers(id: JobId): AttemptHandlers {
    return this.#runs.get(id)?.handlers ?? {};
  }

  silentMs(id: JobId): number | undefined {
    return this.#runs.get(id)?.silentMs();
  }

  /** The number of the attempt of a job that runs here. */
  attemptOf(id: JobId): number | undefined {
    return this.#runs.get(id)?.job.state.attempt;
  }

  /** Puts on record what somebody did to an attempt that runs here. */
  note(id: JobId, event: EventBody): void {
    const run = this.#runs.get(id);
    if (run !== undefined) note(run, event, this.#parts);
  }

  /** Continues what other engines have left here; what of it was given up meanwhile is ended before anything is claimed. */
  async continueLeft(): Promise<void> {
    await rescueAtStart(this.#rescuerParts);
    if (!this.#parts.store.capabilities.isExclusive) this.#clear(endLeft(this.#parts, (id) => this.#runs.has(id)));
  }

  /** Continues jobs whose lease has run out. */
  rescue(): Promise<void> {
    return rescueExpired(this.#rescuerParts);
  }

  get #rescuerParts(): Parameters<typeof rescueExpired>[0] {
    return {
      ...this.#parts,
      isRunning: (id) => this.#runs.has(id),
      start: (claim) => this.#start(claim),
      steadyMs: () => this.#heartbeat.contact.steadyMs(),
    };
  }

  #mayClaim(): boolean {
    if (this.#parts.store.capabilities.isExclusive) return true;
    return this.#heartbeat.contact.isHeard && this.#clearing.size === 0;
  }

  /** The job is another worker's by now, or has ended. */
  #giveUp(id: JobId): void {
    const run = this.#runs.get(id);
    if (run === undefined) return;
    run.stop({ type: "lease_lost" });
    this.#clear(this.#ends.get(run));
  }

  #clear(ending: Promise<void> = Promise.resolve()): void {
    const clearing = ending.finally(() => {
      this.#clearing.delete(clearing);
      if (this.#clearing.size === 0) this.dispatcher.wake();
    });
    this.#clearing.add(clearing);
  }

  /**
   * Claims nothing more, and lets attempts come to their end for a while. Those that go on without an engine are not waited for, nor those
   * that wait for somebody.
   */
  async drain(maxMs: number): Promise<void> {
    await this.dispatcher.stop();
    const ends = [...this.#ends].filter(([run]) => run.kind.onInterrupt !== "adopt" && !run.isWaiting);
    const late = new AbortController();
    const ended = Promise.all(ends.map(([, end]) => end)).finally(() => late.abort());
    await Promise.race([ended, sleep(this.#parts.settings.clock, maxMs, late.signal)]);
  }

  /** Tells every attempt that the engine stops, and waits for their ends to be stored. */
  async stop(): Promise<void> {
    await this.dispatcher.stop();
    for (const run of this.#runs.values()) run.stop({ type: "stopping" });
    const patience = this.#parts.settings.clock.after(this.#longestGraceMs() + 2_000, () => this.#closing.abort());
    await Promise.all([...this.#ends.values(), ...this.#clearing]);
    patience();
    this.#unsubscribe();
  }

  #start(claim: Claim): void {
    const { store, kinds, settings } = this.#parts;
    const kind = kinds.get(claim.job.kind);
    if (kind === undefined) return;
    // It was given up here without a word: two attempts of a job must not run at once, so this lease is left to run out.
    if (this.#runs.has(claim.job.id)) return this.#giveUp(claim.job.id);
    const run = new HeldAttempt(claim, kind, settings.clock);
    const runContext = createContext(run, { ...this.#parts, spawn: (child) => this.#spawn(run, child) });
    const stopWatchdog = startWatchdog(run, {
      clock: settings.clock,
      stallMs: settings.stallMs,
      onStall: (isStalled) => this.#tellStall(run, isStalled),
    });
    this.#runs.set(run.id, run);
    this.dispatcher.occupy(kind.name);
    run.onLent = (isLent): void => {
      if (isLent) this.dispatcher.vacate(kind.name);
      else this.dispatcher.occupy(kind.name);
    };
    awaitOpenQuestions(run, this.#parts);
    const end = runAttempt(run, claim.input, runContext, {
      store,
      settings,
      closing: this.#closing.signal,
      onSettling: () => {
        stopWatchdog();
        run.onLent = undefined;
        if (!run.isSlotLent) this.dispatcher.vacate(kind.name);
      },
    }).finally(() => {
      // Held until its end is stored: meanwhile the lease is extended, and nobody rescues what is only waiting for disk space.
      run.isOver = true;
      if (this.#runs.get(run.id) === run) this.#runs.delete(run.id);
      this.#ends.delete(run);
    });
    this.#ends.set(run, end);
    if (isHeld(claim.job.state) && claim.job.state.cancelRequest !== undefined) {
      this.#cancel(run.id, claim.job.state.cancelRequest.reason);
    }
  }

  /** A resumed parent that spawns again gets the child it has: the key is the same. */
  async #spawn(run: HeldAttempt, { key, isConfined: wish, ...child }: ChildRequest): Promise<JobId> {
    // An attempt that was given up may still run: a child of its ended job would be nobody's to cancel.
    if (this.#runs.get(run.id) !== run) throw leaseLost();
    const idempotencyKey = `child ${run.id} ${run.job.state.attempt} ${key}`;
    const isKept = wish === true || isConfined(run.job);
    const { store, settings } = this.#parts;
    // What works in the parent's folder has to be where that is.
    const placeOfFolder = store.capabilities.isExclusive ? run.job.place : settings.machine;
    const request = {
      ...child,
      owner: run.job.owner,
      parent: run.id,
      idempotencyKey,
      isConfined: isKept,
      ...defined({ placeOfFolder }),
    };
    const [created] = await submitAll([request], { ...this.#parts, dispatcher: this.dispatcher }, run.client);
    return (created as Created).job.id;
  }

  #cancel(id: JobId, reason: string): void {
    this.#runs.get(id)?.stop({ type: "cancelled", reason });
  }

  #tellStall(run: HeldAttempt, isStalled: boolean): void {
    const { store, settings } = this.#parts;
    const now = settings.clock.now();
    store.stall(run.lease, isStalled ? Math.round(now - run.silentMs()) : undefined, now).catch((error: unknown) => {
      settings.log({ level: "warn", message: "a stall could not be stored", job: run.id, error });
    });
  }

  #longestGraceMs(): number {
    return Math.max(0, ...[...this.#runs.values()].map((run) => run.job.limits.graceMs));
  }
}
