import { netFailure, toNetFailure } from "./net-failure.ts";

/** One end for everything that a request starts: the caller's signal, or its time. */
export interface Deadline {
  readonly signal: AbortSignal;
  readonly stop: () => void;
  /** What the caller is told about an error: that they gave up, that the time is over, or what went wrong. */
  readonly explain: (thrown: unknown, host: string) => unknown;
}

export function startDeadline(timeoutMs: number, given: AbortSignal | undefined): Deadline {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), timeoutMs);
  const giveUp = (): void => controller.abort();
  if (given?.aborted === true) giveUp();
  else given?.addEventListener("abort", giveUp);
  return {
    signal: controller.signal,
    stop: () => {
      clearTimeout(timer);
      given?.removeEventListener("abort", giveUp);
    },
    explain: (thrown, host) => {
      if (given?.aborted === true) return given.reason;
      if (!controller.signal.aborted) return toNetFailure(thrown, host);
      return netFailure("timed_out", `${host} had not answered completely after ${timeoutMs / 1_000} s.`);
    },
  };
}
