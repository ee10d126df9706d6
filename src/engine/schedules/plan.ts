import { Cron } from "croner";
import type { SchedulePlan } from "../../store/schedule-store.ts";

/** The times that a plan names. */
export interface PlannedTimes {
  /** The first after this; `never` if there is none. */
  readonly next: (after: number) => number;
  /** Those from the one to the other, both included, oldest first; of more than `max` the newest. */
  readonly between: (from: number, to: number, max: number) => number[];
}

export function readPlan(plan: SchedulePlan): PlannedTimes {
  return "cron" in plan ? readCron(plan.cron, plan.tz) : readPeriod(plan.everyMs, plan.from);
}

const minuteMs = 60_000;
/** A time that no plan comes to. */
export const never = Date.UTC(9999, 0, 1);

/**
 * Where clocks are put forward, a time that does not exist becomes the first one that does. Where they are put back, a time that is
 * there twice counts once, but a line that goes on through the hour (such as every ten minutes) goes on through both.
 */
export function readCron(line: string, tz: string): PlannedTimes {
  const cron = new Cron(line, { timezone: tz, mode: "5-part", paused: true });
  return {
    next: (after) => cron.nextRun(new Date(after))?.getTime() ?? never,
    between: (from, to, max) => {
      // What it is asked for lies before its reference, and all of its times are whole minutes.
      const reference = (Math.floor(to / minuteMs) + 1) * minuteMs;
      const newestFirst = cron.previousRuns(max, new Date(reference)).map((date) => date.getTime());
      return newestFirst.filter((at) => at >= from).toReversed();
    },
  };
}

function readPeriod(everyMs: number, start: number): PlannedTimes {
  const countUntil = (at: number): number => Math.floor((at - start) / everyMs);
  return {
    next: (after) => start + (countUntil(after) + 1) * everyMs,
    between: (from, to, max) => {
      const last = countUntil(to);
      const first = Math.max(countUntil(from - 1) + 1, last - max + 1);
      return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => start + (first + index) * everyMs);
    },
  };
}
