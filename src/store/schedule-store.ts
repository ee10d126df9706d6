import type { JobId } from "../job/id.ts";
import type { Json } from "../job/json.ts";
import type { JobStatus } from "../job/state.ts";
import type { Created, JobDraft } from "./store.ts";

/** Starts of jobs that are planned by the clock. A schedule's next time and the jobs of the times before it are always in step. */
export interface ScheduleStore {
  /** Refused (`conflict`) while its owner has another of this name, or has `maxPerOwner` of them. */
  readonly add: (schedule: Schedule, work: ScheduleWork, maxPerOwner: number) => Promise<void>;
  /** In alphabetical order. */
  readonly list: (filter: ScheduleFilter) => Promise<Schedule[]>;
  /** What its jobs are made of, which is not for readers. */
  readonly work: (id: string) => Promise<ScheduleWork | undefined>;
  /** Active ones whose next time has come, or was worked out at a time that is still to come: then the clock was set back. */
  readonly due: (now: number) => Promise<Schedule[]>;
  /** The first planned time of any after this. */
  readonly nextAfter: (now: number) => Promise<number | undefined>;

  /**
   * Makes the jobs of planned times that have come, or says why there is none, and moves the plan on, all at once. Undefined, and
   * nothing is written, if the schedule is gone, paused or has moved on since it was read.
   */
  readonly fire: (firing: Firing) => Promise<Fired | undefined>;
  /** Makes a job besides the plan. Undefined if the schedule is gone; refused (`conflict`) where it would overlap and must not. */
  readonly run: (id: string, draft: JobDraft, now: number) => Promise<Created | undefined>;
  /** Plans anew from here, where the clock was set back; false if the schedule has moved on since it was read. */
  readonly replan: (schedule: Pick<Schedule, "id" | "revision">, nextAt: number, now: number) => Promise<boolean>;
  /** Leaves a paused one as it is. Undefined if there is none. */
  readonly pause: (id: string, pause: SchedulePause) => Promise<Schedule | undefined>;
  /** Leaves an active one as it is. From now on its jobs have these bounds. */
  readonly resume: (
    id: string,
    resume: { readonly nextAt: number; readonly at: number; readonly bounds: ScheduleBounds },
  ) => Promise<Schedule | undefined>;
  /** Its jobs stay; false if there is none. */
  readonly remove: (id: string) => Promise<boolean>;
  /** What came of its newest times, the newest first. Kept longer than the jobs, but not for ever. */
  readonly runs: (id: string, limit: number) => Promise<ScheduleRun[]>;
}

/** What happens to times at which nobody could start the job: none runs, the newest does, or all do. */
export const missedPolicies = ["skip", "once", "all"] as const;
export type MissedPolicy = (typeof missedPolicies)[number];

/** A cron line in a time zone, or a period that is counted from a time. */
export type SchedulePlan =
  | { readonly cron: string; readonly tz: string }
  | { readonly everyMs: number; readonly from: number };

/** What whoever made a schedule may: its jobs may no more. */
export interface ScheduleBounds {
  readonly kinds?: readonly string[];
  /** The id of their token: once that is revoked, or has expired, no more jobs are started. */
  readonly token?: string;
}

export interface SchedulePause {
  readonly at: number;
  /** Where nobody asked for it. */
  readonly reason?: string;
}

/** What was asked for. */
export interface ScheduleSpec {
  readonly id: string;
  readonly name: string;
  readonly owner: string;
  readonly kind: string;
  /** As it may be shown. */
  readonly input: Json;
  readonly plan: SchedulePlan;
  readonly missed: MissedPolicy;
  /** A time comes to its job though the one before is not over. */
  readonly overlap: boolean;
  readonly isConfined: boolean;
  readonly createdAt: number;
  readonly createdBy?: string;
}

export interface Schedule extends ScheduleSpec {
  readonly bounds: ScheduleBounds;
  /** Absent while it is paused. */
  readonly nextAt?: number;
  readonly pause?: SchedulePause;
  /** Rises with every change. */
  readonly revision: number;
  /** When `nextAt` was worked out. */
  readonly plannedAt: number;
  readonly counts: ScheduleCounts;
}

/** How many times came to a job, and how many did not and why: see `SkipReason`. */
export type ScheduleCounts = Readonly<Record<"runs" | SkipReason, number>>;

/** `missed`: nobody was there; `overlap`: the run before was not over; `refused`: the job could not be made. */
export const skipReasons = ["missed", "overlap", "refused"] as const;
export type SkipReason = (typeof skipReasons)[number];

/** The request, and what its jobs take from the program that made the schedule, as JSON. */
export interface ScheduleWork {
  readonly request: string;
  readonly client?: string;
}

export interface ScheduleFilter {
  readonly owner?: string;
  readonly kinds?: readonly string[];
  /** A name or an id. */
  readonly reference?: string;
}

export interface Firing {
  readonly id: string;
  readonly revision: number;
  readonly now: number;
  /** Planned times from the next one up to now, oldest first: at least one, and of very many the newest. */
  readonly due: readonly number[];
  /** The planned time behind them. */
  readonly nextAt: number;
  /** A job for each of them, or why there can be none. */
  readonly jobs: { readonly drafts: readonly JobDraft[] } | { readonly refusal: string };
}

export interface Fired {
  readonly created: readonly Created[];
  /** A time has come, but waits for the end of a run. */
  readonly isHeldUp: boolean;
}

/** One time, and what came of it. */
export type ScheduleRun = {
  /** Absent for one that somebody ran by hand. */
  readonly plannedAt?: number;
  readonly at: number;
} & (
  | { readonly status: JobStatus; readonly jobId: JobId; readonly endedAt?: number }
  | { readonly status: "skipped"; readonly skip: SkipReason; readonly reason?: string }
);
