import { setTimeout as delay } from "node:timers/promises";

/**
 * Waits until a condition holds, looking again and again, the longer it takes the less often: looking is work, too.
 * Fails when it does not hold within the time.
 */
export async function until(
  condition: () => boolean | Promise<boolean>,
  { timeoutMs = 100_000 }: { timeoutMs?: number } = {},
): Promise<void> {
  const start = performance.now();
  while (!(await condition())) {
    const waitedMs = performance.now() - start;
    if (waitedMs > timeoutMs) throw new Error(`not reached within ${timeoutMs} ms: ${condition.toString()}`);
    await delay(Math.min(Math.max(5, waitedMs / 20), 50));
  }
}
