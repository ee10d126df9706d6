import { setImmediate } from "node:timers/promises";

const maxTurnMs = 10;

/** Called again and again in long work on the main thread, it lets everything else have its turn now and then. */
export function createPacer(): () => Promise<void> {
  let startedAt = performance.now();
  return async () => {
    if (performance.now() - startedAt < maxTurnMs) return;
    await setImmediate();
    startedAt = performance.now();
  };
}
