/** Time from outside, so that tests can move it. */
export interface Clock {
  /** Epoch milliseconds; may step when somebody sets the machine's clock. */
  readonly now: () => number;
  /** Milliseconds that only ever rise evenly: limits are measured by these. */
  readonly monotonic: () => number;
  /** Calls once after `delayMs`; returns how to call it off. */
  readonly after: (delayMs: number, call: () => void) => () => void;
}

/** The longest delay that a Node timer takes; a longer one would fire at once. */
const longestDelayMs = 2_147_483_647;

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after: (delayMs, call) => {
    const timer = setTimeout(call, Math.min(Math.max(0, Math.ceil(delayMs)), longestDelayMs));
    return () => clearTimeout(timer);
  },
};

export function sleep(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted === true) return Promise.resolve();
  return new Promise((resolve) => {
    const done = (): void => {
      cancelTimer();
      signal?.removeEventListener("abort", done);
      resolve();
    };
    const cancelTimer = clock.after(delayMs, done);
    signal?.addEventListener("abort", done);
  });
}
