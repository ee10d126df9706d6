import { setTimeout as delay } from "node:timers/promises";

/** Waits for a condition, and says what was there instead if it does not come. */
export async function until(
  isTrue: () => boolean | Promise<boolean>,
  otherwise: string,
  evidence: () => string = () => "",
  maxMs = 60_000,
): Promise<void> {
  const giveUpAt = performance.now() + maxMs;
  while (!(await isTrue())) {
    if (performance.now() > giveUpAt) throw new Error(`${otherwise} within ${maxMs / 1_000} s: ${evidence().trim()}`);
    await delay(50);
  }
}
