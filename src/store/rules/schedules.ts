import { LonghaulError } from "../../job/error.ts";
import type { Firing, Schedule, SkipReason } from "../schedule-store.ts";

/** Beyond this a time that nobody has seen to was missed: a server that starts, or a machine that wakes up, takes a while. */
export const onTimeMs = 60_000;

export interface SkippedTime {
  readonly plannedAt: number;
  readonly skip: SkipReason;
  readonly reason?: string;
}

/** What becomes of planned times that have come. */
export interface FiringDecision {
  /** Those that come to a job. */
  readonly run: readonly number[];
  readonly skip: readonly SkippedTime[];
  readonly nextAt: number;
}

type Policy = Pick<Schedule, "missed" | "overlap" | "nextAt">;
type Times = Pick<Firing, "due" | "nextAt" | "now" | "jobs">;

export interface RunFacts {
  /** A run of the schedule is not over. */
  readonly isBusy: boolean;
  /** Times that were seen to before: the clock was set back. */
  readonly known: readonly number[];
}

/** "held up": the plan stays where it is until a run has ended. */
export function decideFiring(policy: Policy, given: Times, { isBusy, known }: RunFacts): FiringDecision | "held up" {
  const times = { ...given, due: given.due.filter((plannedAt) => !known.includes(plannedAt)) };
  const { jobs } = given;
  const isBlocked = isBusy && !policy.overlap;
  if (policy.missed === "all" && isBlocked && times.due.length > 0) return "held up";
  const { chosen, passed, nextAt } = choose(policy, times);
  const missed = [...tooOld(policy, given.due), ...passed.map((plannedAt) => ({ plannedAt, skip: "missed" as const }))];
  const drop = (skip: SkipReason, reason?: string): FiringDecision => {
    const why = reason === undefined ? { skip } : { skip, reason };
    return { run: [], skip: [...missed, ...chosen.map((plannedAt) => ({ plannedAt, ...why }))], nextAt };
  };
  if (isBlocked) return drop("overlap");
  if ("refusal" in jobs) return drop("refused", jobs.refusal);
  return { run: chosen, skip: missed, nextAt };
}

interface Choice {
  readonly chosen: readonly number[];
  readonly passed: readonly number[];
  readonly nextAt: number;
}

/** All of them, one after the other unless they may overlap; or the newest, which need not be on time for "once". */
function choose({ missed, overlap }: Policy, { due, nextAt, now }: Times): Choice {
  if (missed === "all") {
    const chosen = overlap ? due : due.slice(0, 1);
    return { chosen, passed: [], nextAt: due[chosen.length] ?? nextAt };
  }
  const newest = due.slice(-1);
  const isTooLate = missed === "skip" && newest.some((plannedAt) => now - plannedAt > onTimeMs);
  return isTooLate ? { chosen: [], passed: due, nextAt } : { chosen: newest, passed: due.slice(0, -1), nextAt };
}

/** Of more times than anybody makes up for, the oldest are given up. */
function tooOld({ nextAt }: Policy, due: readonly number[]): SkippedTime[] {
  const [first] = due;
  if (nextAt === undefined || first === undefined || nextAt >= first) return [];
  const reason = `of more than ${due.length} times in a row only the newest ${due.length} count`;
  return [{ plannedAt: nextAt, skip: "missed", reason }];
}

/** Refuses a run by hand that would overlap and must not. */
export function checkOverlap({ name, overlap }: Pick<Schedule, "name" | "overlap">, isBusy: boolean): void {
  if (!isBusy || overlap) return;
  throw new LonghaulError(
    "conflict",
    `A run of the schedule "${name}" is not over, and its runs must not overlap: wait for it, or cancel it.`,
  );
}
