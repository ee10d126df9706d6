import { setTimeout as wait } from "node:timers/promises";

/** Rejects with the signal's own reason, not with Node's error for it. */
export async function sleep(durationMs: number, signal: AbortSignal): Promise<void> {
  await wait(durationMs, undefined, { signal }).catch(() => undefined);
  signal.throwIfAborted();
}
