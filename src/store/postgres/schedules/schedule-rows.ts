import type { JobId } from "../../../job/id.ts";
import type { Job } from "../../../job/job.ts";
import type { JobStatus } from "../../../job/state.ts";
import { isTerminal } from "../../../job/state.ts";
import type {
  Schedule,
  ScheduleBounds,
  SchedulePause,
  ScheduleRun,
  ScheduleSpec,
  SkipReason,
} from "../../schedule-store.ts";
import type { SetStatement, Unit } from "../writing/unit.ts";

export interface ScheduleRow {
  readonly id: string;
  readonly spec: string;
  readonly bounds: string;
  readonly next_at: number | null;
  readonly pause: string | null;
  readonly revision: number;
  readonly planned_at: number;
  readonly runs: number;
  readonly missed: number;
  readonly overlap: number;
  readonly refused: number;
}

export const scheduleColumns = "id, spec, bounds, next_at, pause, revision, planned_at, runs, missed, overlap, refused";

export function toSchedule(row: ScheduleRow): Schedule {
  const { runs, missed, overlap, refused } = row;
  return {
    ...(JSON.parse(row.spec) as ScheduleSpec),
    bounds: JSON.parse(row.bounds) as ScheduleBounds,
    ...(row.next_at === null ? {} : { nextAt: row.next_at }),
    ...(row.pause === null ? {} : { pause: JSON.parse(row.pause) as SchedulePause }),
    revision: row.revision,
    plannedAt: row.planned_at,
    counts: { runs, missed, overlap, refused },
  };
}

export interface RunRow {
  readonly planned_at: number | null;
  readonly at: number;
  readonly job: string | null;
  readonly status: string;
  readonly ended_at: number | null;
  readonly skip: string | null;
  readonly reason: string | null;
}

export const runColumns = "planned_at, at, job, status, ended_at, skip, reason";

export function toRun({
  planned_at: plannedAt,
  at,
  job,
  status,
  ended_at: endedAt,
  skip,
  reason,
}: RunRow): ScheduleRun {
  const when = plannedAt === null ? { at } : { plannedAt, at };
  if (job === null) {
    return { ...when, status: "skipped", skip: skip as SkipReason, ...(reason === null ? {} : { reason }) };
  }
  const ended = endedAt === null ? {} : { endedAt };
  return { ...when, status: status as JobStatus, jobId: job as JobId, ...ended };
}

/** Behind the statement that makes runs: a job may change in the transaction that makes it. */
const noteRun: SetStatement = {
  order: 26,
  sql: `UPDATE longhaul.schedule_runs r SET status = n.status, ended_at = n.ended_at
    FROM unnest($1::uuid[], $2::text[], $3::bigint[]) AS n (job, status, ended_at) WHERE r.job = n.job`,
};

/** Keeps what becomes of a schedule's job, for when the job is gone. */
export function noteScheduledJob(unit: Unit, { id, state }: Job): void {
  unit.write(noteRun, [id, state.status, isTerminal(state) ? state.finishedAt : null], id);
}
