import type { JobId } from "../../job/id.ts";
import type { BeatAnswer } from "../../store/store.ts";
import type { HeldAttempt } from "../attempt.ts";
import { Contact } from "./contact.ts";
import type { EngineParts } from "../settings.ts";

interface HeartbeatParts extends Pick<EngineParts, "store" | "settings"> {
  readonly attempts: () => Iterable<HeldAttempt>;
  readonly onLost: (id: JobId) => void;
  readonly onCancelled: (id: JobId, reason: string) => void;
}

/** Extends the leases of all attempts, and stops attempts in time where that does not succeed. */
export class Heartbeat {
  readonly contact: Contact;
  readonly #parts: HeartbeatParts;

  constructor(parts: HeartbeatParts) {
    this.#parts = parts;
    this.contact = new Contact(parts.settings.clock, parts.settings.leaseMs);
  }

  /** Learns which leases are lost, and which jobs were asked to cancel. Without leases it asks whether the store is there. */
  async beat(): Promise<void> {
    const { store, settings, attempts } = this.#parts;
    const { clock, leaseMs } = settings;
    const leases = [...attempts()].map((run) => run.lease);
    if (leases.length === 0 && store.capabilities.isExclusive) return;
    const sentAt = clock.monotonic();
    const ask = async (): Promise<void> => {
      const answer = await store.beat(leases, clock.now() + leaseMs);
      this.contact.heard(sentAt);
      this.#obey(answer);
    };
    await this.#within(leaseMs, ask());
  }

  /**
   * Where several engines share a store, another one may soon have the jobs of an engine that is not heard. What the engine does itself
   * ends with its leases. What runs outside goes on, for the store may be gone for all: unless the job would be started again by itself,
   * for then it would run twice.
   */
  fence(): void {
    const { store, settings, attempts } = this.#parts;
    if (store.capabilities.isExclusive || this.contact.isHeard) return;
    const isGivenUp = this.contact.silentMs() > settings.orphanMs;
    for (const run of attempts()) {
      const { job, kind } = run;
      if (kind.onInterrupt !== "adopt") run.stop({ type: "stopping", why: "its worker could not reach the store" });
      else if (isGivenUp && job.state.attempt < job.limits.attempts) run.stop({ type: "lease_lost" });
    }
  }

  #obey({ lost, cancelled }: BeatAnswer): void {
    for (const id of lost) this.#parts.onLost(id);
    for (const { id, reason } of cancelled) this.#parts.onCancelled(id, reason);
  }

  /** A connection that was cut may never answer: the next beat is not to wait for it. */
  #within(ms: number, answering: Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      const cancel = this.#parts.settings.clock.after(ms, () => reject(new Error(`no answer within ${ms} ms`)));
      answering.then(resolve, reject).finally(cancel);
    });
  }
}
