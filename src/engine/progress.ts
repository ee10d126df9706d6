import type { Progress } from "../job/state.ts";
import type { Store } from "../store/store.ts";
import type { Clock } from "./clock.ts";
import type { HeldAttempt } from "./attempt.ts";

const coalesceMs = 100;
/** A reader of events hears of slow progress at least this often. */
const eventEveryMs = 5_000;

export interface ProgressReporter {
  readonly report: (progress: Progress | ((before: Progress) => Progress)) => void;
  readonly flush: () => void;
}

/**
 * Hands progress on at most every 100 ms. Each hand-over updates the job; it also becomes an event when the phase or
 * the whole percent changed, or when none came for a while: a day-long job then has hundreds of them, not millions.
 */
export function createProgressReporter(run: HeldAttempt, store: Store, clock: Clock): ProgressReporter {
  let latest: Progress = "progress" in run.job.state ? (run.job.state.progress ?? {}) : {};
  let told: Progress | undefined;
  let toldAt = -Infinity;
  let cancelTimer: (() => void) | undefined;

  const handOver = (): void => {
    cancelTimer?.();
    cancelTimer = undefined;
    const now = clock.monotonic();
    const isEvent = isWorthAnEvent(told, latest) || now - toldAt >= eventEveryMs;
    if (isEvent) {
      told = latest;
      toldAt = now;
    }
    // A write that fails is made up for by the next one: progress is worth no retry.
    store.report(run.lease, { progress: latest, isEvent, at: clock.now() }).catch(() => undefined);
  };
  return {
    report: (progress) => {
      latest = advance(latest, typeof progress === "function" ? progress(latest) : progress);
      run.touch();
      cancelTimer ??= clock.after(coalesceMs, handOver);
    },
    flush: () => {
      if (cancelTimer !== undefined) handOver();
    },
  };
}

function isWorthAnEvent(told: Progress | undefined, latest: Progress): boolean {
  if (told === undefined || told.phase !== latest.phase) return true;
  return Math.floor(told.percent ?? -1) !== Math.floor(latest.percent ?? -1);
}

/** Percent stays within 0 to 100 and never goes back within an attempt. */
function advance(before: Progress, { percent: reported, ...next }: Progress): Progress {
  const percent =
    reported === undefined || Number.isNaN(reported)
      ? before.percent
      : Math.max(before.percent ?? 0, Math.min(100, reported));
  return { ...next, percent };
}
