import { setTimeout as delay } from "node:timers/promises";

/** Waits until a condition holds, looking again and again; fails when it does not hold within the time. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  { timeoutMs = 10_000 }: { readonly timeoutMs?: number } = {},
): Promise<void> {
  const giveUpAt = performance.now() + timeoutMs;
  while (!(await condition())) {
    if (performance.now() > giveUpAt) throw new Error(`not reached within ${timeoutMs} ms: ${condition.toString()}`);
    await delay(10);
  }
}
