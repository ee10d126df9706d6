import type { Clock } from "./clock.ts";
import type { HeldAttempt } from "./attempt.ts";

interface WatchdogOptions {
  readonly clock: Clock;
  readonly stallMs: number;
  /** Tells that the job is silent, or that it is heard again. */
  readonly onStall: (isStalled: boolean) => void;
}

/**
 * Guards one attempt in two steps: silence is first reported, then, past the idle limit, ends the attempt. The run
 * and total limits end it at once. Time spent waiting for an answer counts only against the total limit.
 * Returns how to call the guard off.
 */
export function startWatchdog(run: HeldAttempt, { clock, stallMs, onStall }: WatchdogOptions): () => void {
  const { runMs, idleMs, totalMs } = run.job.limits;
  const warnAfterMs = idleMs === undefined ? stallMs : idleMs / 2;
  let isStalled = "stalledSince" in run.job.state;
  let wasWaiting = run.isWaiting;
  let cancelTimer: (() => void) | undefined;

  const left = (): { run: number; total: number; idle: number; warn: number } => ({
    run: runMs === undefined || run.isWaiting ? Infinity : runMs - run.runMs(),
    total: totalMs === undefined ? Infinity : totalMs - run.totalMs(),
    idle: idleMs === undefined || run.isWaiting ? Infinity : idleMs - run.silentMs(),
    warn: isStalled || run.isWaiting ? Infinity : warnAfterMs - run.silentMs(),
  });
  const check = (): void => {
    const { run: runLeft, total, idle, warn } = left();
    if (runLeft <= 0) run.stop({ type: "timed_out", limit: "run", limitMs: runMs ?? 0 });
    else if (total <= 0) run.stop({ type: "timed_out", limit: "total", limitMs: totalMs ?? 0 });
    else if (idle <= 0) run.stop({ type: "timed_out", limit: "idle", limitMs: idleMs ?? 0 });
    else {
      if (warn <= 0) setStalled(true);
      schedule();
    }
  };
  const setStalled = (isSilent: boolean): void => {
    isStalled = isSilent;
    onStall(isSilent);
  };
  const schedule = (): void => {
    cancelTimer?.();
    const nextMs = Math.min(...Object.values(left()));
    cancelTimer = nextMs === Infinity ? undefined : clock.after(Math.max(1, nextMs), check);
  };

  // Activity only moves deadlines back, so the timer is left to find that out; it is set anew when one may have come nearer.
  run.onActivity = (): void => {
    if (isStalled) setStalled(false);
    else if (run.isWaiting === wasWaiting) return;
    wasWaiting = run.isWaiting;
    schedule();
  };
  schedule();
  return () => {
    run.onActivity = undefined;
    cancelTimer?.();
  };
}
