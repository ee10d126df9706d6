import { setTimeout as delay } from "node:timers/promises";

/** Does something again and again, never twice at once, until told to stop. What goes wrong ends it quietly: it only shows. */
export function repeatEvery(ms: number, act: (signal: AbortSignal) => Promise<void>): () => void {
  const controller = new AbortController();
  const { signal } = controller;
  const repeat = async (): Promise<void> => {
    while (!signal.aborted) {
      await delay(ms, undefined, { signal });
      await act(signal);
    }
  };
  repeat().catch(() => undefined);
  return () => controller.abort();
}
