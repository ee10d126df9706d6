import { checkOverlap, decideFiring, type SkippedTime } from "../../rules/schedules.ts";
import type { Fired, Firing, Schedule, SkipReason } from "../../schedule-store.ts";
import type { Created, JobDraft } from "../../store.ts";
import { createJobs, needsOfDrafts } from "../jobs/create.ts";
import { Needs, type Lookup, type SetStatement, type Unit } from "../writing/unit.ts";
import { scheduleColumns, toSchedule, type ScheduleRow } from "./schedule-rows.ts";

/** How many times of a schedule are remembered; those whose job is not over are kept besides. */
const keptRuns = 100;
const isOpen = "status IN ('queued', 'running', 'waiting')";

/** A schedule, and whether a run of it is not over. Whoever makes a run has it locked. */
interface Locked {
  readonly schedule: Schedule;
  readonly isBusy: boolean;
}

const lockSchedules = "SELECT 1 FROM longhaul.schedules WHERE id = ANY ($1::text[]) ORDER BY id FOR UPDATE";
const readSchedules = `SELECT ${scheduleColumns}, EXISTS (
    SELECT 1 FROM longhaul.schedule_runs r WHERE r.schedule = s.id AND r.${isOpen}) AS "isBusy"
  FROM longhaul.schedules s WHERE id = ANY ($1::text[])`;

const schedules: Lookup<Locked> = {
  name: "schedule",
  order: 1,
  load: async ({ query }, ids) => {
    const [, rows] = await Promise.all([
      query(lockSchedules, [ids]),
      query<ScheduleRow & { isBusy: boolean }>(readSchedules, [ids]),
    ]);
    return new Map(rows.map((row) => [row.id, { schedule: toSchedule(row), isBusy: row.isBusy }]));
  },
};

/** Times of a schedule from one on that were seen to. Not those that were missed: a clock that was wrong may have passed them by. */
const knownTimes: Lookup<readonly number[]> = {
  name: "times of schedule",
  order: 2,
  load: async ({ query }, keys) => {
    const wanted = keys.map((key) => JSON.parse(key) as [string, number]);
    const rows = await query<{ n: number; times: number[] }>(
      `SELECT w.n::integer, array_agg(r.planned_at::float8) AS times
       FROM unnest($1::text[], $2::bigint[]) WITH ORDINALITY AS w (id, first, n)
       JOIN longhaul.schedule_runs r ON r.schedule = w.id AND r.planned_at >= w.first AND r.skip IS DISTINCT FROM 'missed'
       GROUP BY w.n`,
      [wanted.map(([id]) => id), wanted.map(([, first]) => first)],
    );
    return new Map(rows.map(({ n, times }) => [keys[n - 1] ?? "", times]));
  },
};

export function needsOfFiring({ id, due, now, jobs }: Firing): Needs {
  const needs = "drafts" in jobs ? needsOfDrafts(jobs.drafts) : new Needs();
  return needs.add(schedules, id).add(knownTimes, toTimesKey(id, due, now));
}

export function needsOfRun(id: string, draft: JobDraft): Needs {
  return needsOfDrafts([draft]).add(schedules, id);
}

export function fire(unit: Unit, firing: Firing): Fired | undefined {
  const { id, revision, now, due, jobs } = firing;
  const locked = unit.read(schedules, id);
  if (locked === undefined || locked.schedule.revision !== revision) return undefined;
  const { schedule, isBusy } = locked;
  if (schedule.nextAt === undefined) return undefined;
  const known = unit.read(knownTimes, toTimesKey(id, due, now)) ?? [];
  const decision = decideFiring(schedule, firing, { isBusy, known });
  if (decision === "held up") return { created: [], isHeldUp: true };
  const { run, skip, nextAt } = decision;
  const drafts = "drafts" in jobs ? jobs.drafts.filter(({ spec }) => run.includes(spec.schedule?.plannedAt ?? 0)) : [];
  const created = createJobs(unit, drafts);
  for (const each of skip) writeSkip(unit, id, each, now);
  const made = writeRuns(unit, id, created, now);
  const count = (reason: SkipReason): number => skip.filter((each) => each.skip === reason).length;
  unit.write(moveOn, [id, nextAt, now, made, count("missed"), count("overlap"), count("refused")]);
  unit.write(forgetRuns, [id], id);
  const moved = { ...schedule, nextAt, plannedAt: now, revision: revision + 1 };
  unit.assume(schedules, id, { schedule: moved, isBusy: isBusy || made > 0 });
  return { created, isHeldUp: false };
}

/** Makes a job besides the plan. */
export function runByHand(unit: Unit, id: string, draft: JobDraft, now: number): Created | undefined {
  const locked = unit.read(schedules, id);
  if (locked === undefined) return undefined;
  const [created] = createJobs(unit, [draft]);
  if (created === undefined || created.isDuplicate) return created;
  checkOverlap(locked.schedule, locked.isBusy);
  const made = writeRuns(unit, id, [created], now);
  unit.write(countRuns, [id, made]);
  unit.write(forgetRuns, [id], id);
  unit.assume(schedules, id, { ...locked, isBusy: true });
  return created;
}

const insertRuns: SetStatement = {
  order: 25,
  sql: `INSERT INTO longhaul.schedule_runs (schedule, planned_at, at, job, status, skip, reason)
    SELECT schedule, planned_at, at, job, status, skip, reason
    FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::uuid[], $5::text[], $6::text[], $7::text[])
      WITH ORDINALITY AS n (schedule, planned_at, at, job, status, skip, reason, place) ORDER BY place`,
};

/** A job that was there already, after the clock was set back or a call was made again, has its entry. */
function writeRuns(unit: Unit, id: string, created: readonly Created[], now: number): number {
  const made = created.filter(({ isDuplicate }) => !isDuplicate);
  for (const { job } of made) {
    unit.write(insertRuns, [id, job.schedule?.plannedAt ?? null, now, job.id, job.state.status, null, null]);
  }
  return made.length;
}

function writeSkip(unit: Unit, id: string, { plannedAt, skip, reason }: SkippedTime, now: number): void {
  unit.write(insertRuns, [id, plannedAt, now, null, "skipped", skip, reason ?? null]);
}

const moveOn: SetStatement = {
  order: 30,
  sql: `UPDATE longhaul.schedules s SET next_at = n.next_at, planned_at = n.at, revision = s.revision + 1, runs = s.runs + n.runs,
      missed = s.missed + n.missed, overlap = s.overlap + n.overlap, refused = s.refused + n.refused
    FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[])
      AS n (id, next_at, at, runs, missed, overlap, refused) WHERE s.id = n.id`,
};

const countRuns: SetStatement = {
  order: 30,
  sql: `UPDATE longhaul.schedules s SET runs = s.runs + n.runs
    FROM (SELECT id, sum(made) AS runs FROM unnest($1::text[], $2::bigint[]) AS w (id, made) GROUP BY id) n WHERE s.id = n.id`,
};

const forgetRuns: SetStatement = {
  order: 31,
  sql: `DELETE FROM longhaul.schedule_runs r USING unnest($1::text[]) AS n (id)
    WHERE r.schedule = n.id AND NOT r.${isOpen} AND r.num <= (
      SELECT o.num FROM longhaul.schedule_runs o WHERE o.schedule = n.id ORDER BY o.num DESC OFFSET ${keptRuns} LIMIT 1)`,
};

function toTimesKey(id: string, due: readonly number[], now: number): string {
  return JSON.stringify([id, due[0] ?? now]);
}
