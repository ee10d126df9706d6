import { LonghaulError } from "../../job/error.ts";
import type { JobId } from "../../job/id.ts";
import type { JobStatus } from "../../job/state.ts";
import { checkOverlap, decideFiring, type SkippedTime } from "../rules/schedules.ts";
import type {
  Fired,
  Firing,
  Schedule,
  ScheduleBounds,
  ScheduleFilter,
  SchedulePause,
  ScheduleRun,
  ScheduleSpec,
  ScheduleStore,
  ScheduleWork,
  SkipReason,
} from "../schedule-store.ts";
import type { Created } from "../store.ts";
import { createJobs } from "./create.ts";
import type { Database, Write } from "./database.ts";

/** How many times of a schedule are remembered; those whose job is not over are kept besides. */
const keptRuns = 100;
const isOpen = "status IN ('queued', 'running', 'waiting')";

interface ScheduleRow {
  num: number;
  id: string;
  spec: string;
  bounds: string;
  next_at: number | null;
  pause: string | null;
  revision: number;
  planned_at: number;
  runs: number;
  missed: number;
  overlap: number;
  refused: number;
}

const columns = "num, id, spec, bounds, next_at, pause, revision, planned_at, runs, missed, overlap, refused";

export function createScheduleStore(db: Database, write: Write): ScheduleStore {
  const find = (id: string): Schedule | undefined => {
    const row = findRow(db, id);
    return row && toSchedule(row);
  };
  return {
    add: (schedule, work, maxPerOwner) => write(() => addSchedule(db, schedule, work, maxPerOwner)),
    list: async (filter) => listSchedules(db, filter),
    work: async (id) => {
      const row = db.sql("SELECT request, client FROM schedules WHERE id = ?").get(id) as WorkRow | undefined;
      return row && { request: row.request, ...(row.client === null ? {} : { client: row.client }) };
    },
    due: async (now) => {
      const due = "next_at <= ?1 OR (next_at IS NOT NULL AND planned_at > ?1)";
      return toSchedules(db.sql(`SELECT ${columns} FROM schedules WHERE ${due} ORDER BY next_at, num`).all(now));
    },
    nextAfter: async (now) => {
      const row = db.sql("SELECT min(next_at) AS at FROM schedules WHERE next_at > ?").get(now) as {
        at: number | null;
      };
      return row.at ?? undefined;
    },
    fire: (firing) => write(() => fire(db, firing)),
    run: (id, draft, now) =>
      write(() => {
        const row = findRow(db, id);
        if (row === undefined) return undefined;
        const isKnown =
          draft.spec.idempotencyKey !== undefined && isKnownKey(db, draft.spec.owner, draft.spec.idempotencyKey);
        if (!isKnown) checkOverlap(toSchedule(row), isBusy(db, row.num));
        const [created] = createJobs(db, [draft]);
        if (created !== undefined) insertJobRun(db, row.num, created, now);
        forgetRuns(db, row.num);
        return created;
      }),
    replan: ({ id, revision }, nextAt, now) =>
      write(() => {
        const replan = `UPDATE schedules SET next_at = ?, planned_at = ?, revision = revision + 1
          WHERE id = ? AND revision = ? AND next_at IS NOT NULL`;
        return Number(db.sql(replan).run(nextAt, now, id, revision).changes) > 0;
      }),
    pause: (id, pause) =>
      write(() => {
        const set =
          "UPDATE schedules SET next_at = NULL, pause = ?, revision = revision + 1 WHERE id = ? AND pause IS NULL";
        db.sql(set).run(JSON.stringify(pause), id);
        return find(id);
      }),
    resume: (id, { nextAt, at, bounds }) =>
      write(() => {
        const set = `UPDATE schedules SET pause = NULL, next_at = ?, planned_at = ?, bounds = ?, revision = revision + 1
          WHERE id = ? AND pause IS NOT NULL`;
        db.sql(set).run(nextAt, at, JSON.stringify(bounds), id);
        return find(id);
      }),
    remove: (id) =>
      write(() => {
        db.sql("DELETE FROM schedule_runs WHERE schedule = (SELECT num FROM schedules WHERE id = ?)").run(id);
        return Number(db.sql("DELETE FROM schedules WHERE id = ?").run(id).changes) > 0;
      }),
    runs: async (id, limit) => listRuns(db, id, limit),
  };
}

interface WorkRow {
  request: string;
  client: string | null;
}

function addSchedule(db: Database, schedule: Schedule, work: ScheduleWork, maxPerOwner: number): void {
  const { bounds, nextAt, pause: _pause, revision, plannedAt, counts: _counts, ...spec } = schedule;
  const { owner, name } = spec;
  const { count } = db.sql("SELECT count(*) AS count FROM schedules WHERE owner = ?").get(owner) as { count: number };
  if (count >= maxPerOwner) {
    throw new LonghaulError(
      "conflict",
      `There are already ${count} schedules, as many as there may be: delete some first.`,
    );
  }
  if (db.sql("SELECT 1 FROM schedules WHERE owner = ? AND name = ?").get(owner, name) !== undefined) {
    throw new LonghaulError(
      "conflict",
      `There is already a schedule "${name}": choose another name, or delete that one first.`,
    );
  }
  db.sql(
    `INSERT INTO schedules (id, owner, name, kind, spec, bounds, request, client, next_at, revision, planned_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  ).run(
    spec.id,
    owner,
    name,
    spec.kind,
    JSON.stringify(spec),
    JSON.stringify(bounds),
    work.request,
    work.client ?? null,
    nextAt ?? null,
    revision,
    plannedAt,
  );
}

function listSchedules(db: Database, { owner, kinds, reference }: ScheduleFilter): Schedule[] {
  const rows = db
    .sql(
      `SELECT ${columns} FROM schedules WHERE (?1 IS NULL OR owner = ?1)
         AND (?2 IS NULL OR kind IN (SELECT value FROM json_each(?2))) AND (?3 IS NULL OR name = ?3 OR id = ?3)
       ORDER BY name, num`,
    )
    .all(owner ?? null, kinds === undefined ? null : JSON.stringify(kinds), reference ?? null);
  return toSchedules(rows);
}

function findRow(db: Database, id: string): ScheduleRow | undefined {
  return db.sql(`SELECT ${columns} FROM schedules WHERE id = ?`).get(id) as ScheduleRow | undefined;
}

function toSchedules(rows: readonly unknown[]): Schedule[] {
  return rows.map((row) => toSchedule(row as ScheduleRow));
}

function toSchedule(row: ScheduleRow): Schedule {
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

function fire(db: Database, firing: Firing): Fired | undefined {
  const { id, revision, now, jobs } = firing;
  const row = findRow(db, id);
  if (row === undefined || row.revision !== revision || row.next_at === null) return undefined;
  const decision = decideFiring(toSchedule(row), firing, {
    isBusy: isBusy(db, row.num),
    known: knownTimes(db, row.num, firing.due[0] ?? now),
  });
  if (decision === "held up") return { created: [], isHeldUp: true };
  const { run, skip, nextAt } = decision;
  const drafts = "drafts" in jobs ? jobs.drafts.filter(({ spec }) => run.includes(spec.schedule?.plannedAt ?? 0)) : [];
  const created = createJobs(db, drafts);
  for (const each of skip) insertSkip(db, row.num, each, now);
  for (const each of created) insertJobRun(db, row.num, each, now);
  const count = (reason: SkipReason): number => skip.filter((each) => each.skip === reason).length;
  db.sql(
    `UPDATE schedules SET next_at = ?, planned_at = ?, revision = revision + 1,
       missed = missed + ?, overlap = overlap + ?, refused = refused + ? WHERE num = ?`,
  ).run(nextAt, now, count("missed"), count("overlap"), count("refused"), row.num);
  forgetRuns(db, row.num);
  return { created, isHeldUp: false };
}

function isBusy(db: Database, schedule: number): boolean {
  return db.sql(`SELECT 1 FROM schedule_runs WHERE schedule = ? AND ${isOpen} LIMIT 1`).get(schedule) !== undefined;
}

/** Not those that were missed: a clock that was wrong may have passed them by. */
function knownTimes(db: Database, schedule: number, from: number): number[] {
  const rows = db
    .sql("SELECT planned_at FROM schedule_runs WHERE schedule = ? AND planned_at >= ? AND skip IS NOT 'missed'")
    .all(schedule, from) as { planned_at: number }[];
  return rows.map((row) => row.planned_at);
}

function isKnownKey(db: Database, owner: string, key: string): boolean {
  return db.sql("SELECT 1 FROM jobs WHERE owner = ? AND idempotency_key = ?").get(owner, key) !== undefined;
}

/** A job that was there already, after the clock was set back or a call was made again, has its entry. */
function insertJobRun(db: Database, schedule: number, { job, isDuplicate }: Created, now: number): void {
  if (isDuplicate) return;
  db.sql("INSERT INTO schedule_runs (schedule, planned_at, at, job, status) VALUES (?, ?, ?, ?, ?)").run(
    schedule,
    job.schedule?.plannedAt ?? null,
    now,
    job.id,
    job.state.status,
  );
  db.sql("UPDATE schedules SET runs = runs + 1 WHERE num = ?").run(schedule);
}

function insertSkip(db: Database, schedule: number, { plannedAt, skip, reason }: SkippedTime, now: number): void {
  db.sql(
    "INSERT INTO schedule_runs (schedule, planned_at, at, status, skip, reason) VALUES (?, ?, ?, 'skipped', ?, ?)",
  ).run(schedule, plannedAt, now, skip, reason ?? null);
}

function forgetRuns(db: Database, schedule: number): void {
  db.sql(
    `DELETE FROM schedule_runs WHERE schedule = ?1 AND NOT ${isOpen} AND num <=
       (SELECT num FROM schedule_runs WHERE schedule = ?1 ORDER BY num DESC LIMIT 1 OFFSET ?2)`,
  ).run(schedule, keptRuns);
}

interface RunRow {
  planned_at: number | null;
  at: number;
  job: string | null;
  status: string;
  ended_at: number | null;
  skip: string | null;
  reason: string | null;
}

function listRuns(db: Database, id: string, limit: number): ScheduleRun[] {
  const rows = db
    .sql(
      `SELECT planned_at, at, job, status, ended_at, skip, reason FROM schedule_runs
       WHERE schedule = (SELECT num FROM schedules WHERE id = ?) ORDER BY num DESC LIMIT ?`,
    )
    .all(id, limit);
  return rows.map((row) => toRun(row as RunRow));
}

function toRun({ planned_at: plannedAt, at, job, status, ended_at: endedAt, skip, reason }: RunRow): ScheduleRun {
  const when = plannedAt === null ? { at } : { plannedAt, at };
  if (job === null) {
    return { ...when, status: "skipped", skip: skip as SkipReason, ...(reason === null ? {} : { reason }) };
  }
  const ended = endedAt === null ? {} : { endedAt };
  return { ...when, status: status as JobStatus, jobId: job as JobId, ...ended };
}
