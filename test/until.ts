/** Waits until a condition holds, looking again and again; fails when it does not within the time. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  { timeoutMs = 30_000 }: { timeoutMs?: number } = {},
): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`not reached within ${timeoutMs} ms: ${condition.toString()}`);
    await new Promise((resolve) => {
      setTimeout(resolve, 5);
    });
  }
}
