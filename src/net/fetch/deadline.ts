import { EventEmitter } from "node:events";
import { netFailure, toNetFailure } from "./net-failure.ts";

/** One end for everything that a request starts: the caller's signal, or its time. */
export interface Deadline {
  /** For undici, which takes it in place of an AbortSignal; making one of those costs more than all of our checks. */
  readonly signal: EventEmitter;
  readonly stop: () => void;
  /** What the caller is told about an error: that they gave up, that the time is over, or what went wrong. */
  readonly explain: (thrown: unknown, host: string) => unknown;
}

export function startDeadline(timeoutMs: number, given: AbortSignal | undefined): Deadline {
  const signal = Object.assign(new EventEmitter(), { aborted: false });
  const giveUp = (): void => {
    signal.aborted = true;
    signal.emit("abort");
  };
  const timer = setTimeout(giveUp, timeoutMs);
  given?.addEventListener("abort", giveUp);
  return {
    signal,
    stop: () => {
      clearTimeout(timer);
      given?.removeEventListener("abort", giveUp);
    },
    explain: (thrown, host) => {
      if (given?.aborted === true) return given.reason;
      if (!signal.aborted) return toNetFailure(thrown, host);
      return netFailure("timed_out", `${host} had not answered completely after ${timeoutMs / 1_000} s.`);
    },
  };
}
