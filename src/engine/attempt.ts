import { setMaxListeners } from "node:events";
import type { ClientDefaults } from "../job/client-defaults.ts";
import type { JobId } from "../job/id.ts";
import type { Job } from "../job/job.ts";
import type { Kind, AttemptHandlers, StopCause } from "../job/kind.ts";
import type { Claim, HeldLease } from "../store/store.ts";
import type { EventBody } from "../job/event.ts";
import type { Clock } from "./clock.ts";
import type { EngineParts } from "./settings.ts";

/** An attempt that this engine holds the lease of. Its durations follow the monotonic clock from here on. */
export class HeldAttempt {
  readonly job: Job;
  readonly kind: Kind;
  readonly lease: HeldLease;
  /** What the job keeps of its client's. */
  readonly client: ClientDefaults | undefined;
  /** Called when the attempt is heard from, or begins or ends to wait for an answer, if somebody listens for it. */
  onActivity: (() => void) | undefined;
  /** Called when the attempt lends its slot to others, and when it takes it back. */
  onLent: ((isLent: boolean) => void) | undefined;
  /** What callers may do with the attempt. */
  handlers: AttemptHandlers = {};
  /** Its end is stored, or is somebody else's: nobody waits for an answer to its questions any more. */
  isOver = false;
  /** Called once, when the attempt is told to stop. */
  onStop: (() => void) | undefined;
  readonly #clock: Clock;
  #controller: AbortController | undefined;
  readonly #began: { readonly at: number; readonly ranMs: number; readonly totalMs: number };
  #stopCause: StopCause | undefined;
  #heardAt: number;
  #openQuestions = 0;
  #ownKindWaits = 0;
  #waitingSince = 0;
  #waitedMs = 0;

  constructor({ job, lease, client }: Claim, kind: Kind, clock: Clock) {
    this.job = job;
    this.kind = kind;
    this.lease = lease;
    this.client = client === undefined ? undefined : (JSON.parse(client) as ClientDefaults);
    this.#clock = clock;
    const { state } = job;
    const now = clock.now();
    // An adopted attempt may be waiting for an answer since before its engine went.
    const ranTo = state.status === "waiting" ? state.waitingSince : now;
    const ranMs = "waitedMs" in state ? ranTo - state.startedAt - state.waitedMs : 0;
    this.#began = { at: clock.monotonic(), ranMs: Math.max(0, ranMs), totalMs: Math.max(0, now - state.acceptedAt) };
    this.#heardAt = this.#began.at;
  }

  get id(): JobId {
    return this.job.id;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      // Every open question and every child that is waited for listens.
      setMaxListeners(100, this.#controller.signal);
      if (this.#stopCause !== undefined) this.#controller.abort(this.#stopCause);
    }
    return this.#controller.signal;
  }

  get stopCause(): StopCause | undefined {
    return this.#stopCause;
  }

  get isWaiting(): boolean {
    return this.#openQuestions > 0;
  }

  /** How long the attempt has run, without the time it waited for answers. */
  runMs(): number {
    const waitedMs = this.#waitedMs + (this.isWaiting ? this.#clock.monotonic() - this.#waitingSince : 0);
    return this.#began.ranMs + this.#clock.monotonic() - this.#began.at - waitedMs;
  }

  /** How long ago the job was submitted, or retried by hand. */
  totalMs(): number {
    return this.#began.totalMs + this.#clock.monotonic() - this.#began.at;
  }

  silentMs(): number {
    return this.#clock.monotonic() - this.#heardAt;
  }

  /** The first cause wins: a later one changes nothing, except that a lost lease overrules the others. */
  stop(cause: StopCause): void {
    if (this.#stopCause !== undefined && cause.type !== "lease_lost") return;
    const isFirst = this.#stopCause === undefined;
    this.#stopCause = cause;
    if (isFirst) this.onStop?.();
    this.#controller?.abort(cause);
  }

  touch(): void {
    this.#heardAt = this.#clock.monotonic();
    this.onActivity?.();
  }

  /** Whether others may run in its slot: a person may take days to answer, and a child of the same kind needs one to run at all. */
  get isSlotLent(): boolean {
    return this.isWaiting || this.#ownKindWaits > 0;
  }

  questionOpened(): void {
    this.#lend(() => {
      if (this.#openQuestions++ === 0) this.#waitingSince = this.#clock.monotonic();
    });
  }

  questionClosed(): void {
    this.#lend(() => {
      if (--this.#openQuestions === 0) this.#waitedMs += this.#clock.monotonic() - this.#waitingSince;
    });
  }

  /** Lends its slot while it waits for a child of its own kind, which would else wait for that slot. */
  async whileWaitingForOwnKind<Value>(wait: () => Promise<Value>): Promise<Value> {
    this.#lend(() => (this.#ownKindWaits += 1));
    try {
      return await wait();
    } finally {
      this.#lend(() => (this.#ownKindWaits -= 1));
    }
  }

  #lend(change: () => void): void {
    const before = this.isSlotLent;
    change();
    if (this.isSlotLent !== before) this.onLent?.(this.isSlotLent);
    this.touch();
  }
}

/** Puts something on the record of an attempt; what it tells of has happened, whether it can be stored or not. */
export function note(
  run: HeldAttempt,
  event: EventBody,
  { store, settings }: Pick<EngineParts, "store" | "settings">,
): void {
  store.append(run.lease, [event], settings.clock.now()).catch((error: unknown) => {
    settings.log({ level: "warn", message: "an event could not be stored", job: run.id, error });
  });
}
