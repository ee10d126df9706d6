import type { DeliveryClaim, DeliveryResult } from "../../store/delivery.ts";
import { attemptDelivery, defaultTimeoutMs, type DelivererParts } from "./attempt.ts";

const maxAtOnce = 8;
const maxPerHost = 2;
/** Beyond the time that an attempt may take, before somebody else may take it for lost. */
const leaseMarginMs = 5_000;

/**
 * Posts what the store has recorded for webhooks and for people to be notified: what is due now, then by hints and by the time of the next attempt.
 * It works beside the engine, on records that are already on disk; a slow receiver holds up only what goes to its own host.
 */
export class Deliverer {
  readonly #parts: DelivererParts;
  readonly #stopping = new AbortController();
  readonly #underWay = new Set<Promise<void>>();
  readonly #unsubscribe: () => void;
  #claiming: Promise<void> | undefined;
  #isWoken = false;
  #cancelTimer: (() => void) | undefined;

  constructor(parts: DelivererParts) {
    this.#parts = parts;
    this.#unsubscribe = parts.store.subscribe(({ type }) => {
      if (type === "delivery-due") this.#wake();
    });
    this.#wake();
  }

  /** Cuts short what is under way; it stays recorded and is sent by the next engine. */
  async stop(): Promise<void> {
    this.#unsubscribe();
    this.#stopping.abort();
    this.#cancelTimer?.();
    await this.#claiming;
    await Promise.all(this.#underWay);
  }

  /** One claim is under way at a time; every wake-up leads to one after it. */
  #wake(): void {
    this.#isWoken = true;
    if (this.#claiming !== undefined || this.#stopping.signal.aborted || this.#underWay.size >= maxAtOnce) return;
    this.#isWoken = false;
    this.#claiming = this.#claim().finally(() => {
      this.#claiming = undefined;
      if (this.#isWoken) this.#wake();
    });
  }

  async #claim(): Promise<void> {
    const { store, settings, webhooks } = this.#parts;
    const now = settings.clock.now();
    const leaseMs = (webhooks.timeoutMs ?? defaultTimeoutMs) + leaseMarginMs;
    const max = maxAtOnce - this.#underWay.size;
    const request = { now, leaseMs, max, perHost: maxPerHost };
    try {
      const { claims, nextAt = Infinity } = await store.claimDeliveries(request);
      claims.forEach((claim) => this.#begin(claim));
      // Hints of other processes may get lost.
      this.#schedule(Math.min(nextAt - settings.clock.now(), store.capabilities.isExclusive ? Infinity : leaseMs));
    } catch (error) {
      settings.log({ level: "error", message: "webhook deliveries could not be claimed", error });
      this.#schedule(settings.pollMs);
    }
  }

  #schedule(delayMs: number): void {
    this.#cancelTimer?.();
    if (delayMs === Infinity || this.#stopping.signal.aborted) return;
    this.#cancelTimer = this.#parts.settings.clock.after(Math.max(0, delayMs), () => this.#wake());
  }

  #begin(claim: DeliveryClaim): void {
    const delivering = this.#deliver(claim).finally(() => {
      this.#underWay.delete(delivering);
      if (this.#isWoken) this.#wake();
    });
    this.#underWay.add(delivering);
  }

  async #deliver(claim: DeliveryClaim): Promise<void> {
    const { settings, store } = this.#parts;
    const result = await attemptDelivery(claim, this.#parts, this.#stopping.signal);
    this.#tell(claim, result);
    const settling = store.settleDelivery(claim, result);
    // Before the result is on disk: the next claim then shares its commit.
    this.#wake();
    await settling.catch((error: unknown) => {
      // It is sent again when its lease ends: the receiver knows it by its id.
      settings.log({ level: "error", message: "a webhook delivery could not be kept", job: claim.job.id, error });
    });
  }

  #tell({ job, format }: DeliveryClaim, result: DeliveryResult): void {
    if (result.state !== "failed") return;
    const what = format === "webhook" ? "webhook delivery" : "notification";
    const message = `a ${what} was given up: ${result.error}`;
    this.#parts.settings.log({ level: "warn", message, job: job.id });
  }
}
