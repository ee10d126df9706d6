import type { JobEvent } from "../../job/event.ts";
import type { JobId } from "../../job/id.ts";
import type { Job, JobSpec } from "../../job/job.ts";
import type { JobState } from "../../job/state.ts";
import type { Change } from "../../job/transitions.ts";
import { recordChange, toSearched, type NumberedEvent, type SearchedState, type StoredJob } from "../rules/change.ts";
import { withLeaseEnd } from "../rules/leases.ts";
import type { Database } from "./database.ts";
import { insertDeliveries } from "./deliveries.ts";
import { insertEnd } from "./rollups.ts";
import { noteScheduledJob } from "./scheduled-jobs.ts";

export interface JobRow {
  num: number;
  id: string;
  spec: string;
  state: string;
  seq: number;
  fence: number;
  blocked: number;
  lease_expires_at: number | null;
}

export const jobColumns = "j.num, j.id, s.spec, j.state, j.seq, j.fence, j.blocked, j.lease_expires_at";

/** Where the job columns come from; the order of the join is fixed, so that the index chosen on jobs decides. */
export const withSpec = "CROSS JOIN specs s ON s.job = j.num";

export function findJob(db: Database, id: JobId): StoredJob | undefined {
  return db.jobs.get(id) ?? read(db, db.sql(`SELECT ${jobColumns} FROM jobs j ${withSpec} WHERE j.id = ?`).get(id));
}

export function findByNumber(db: Database, num: number): StoredJob | undefined {
  const select = `SELECT ${jobColumns} FROM jobs j ${withSpec} WHERE j.num = ?`;
  return db.jobs.getByNumber(num) ?? read(db, db.sql(select).get(num));
}

function read(db: Database, row: unknown): StoredJob | undefined {
  if (row === undefined) return undefined;
  const found = toFound(row as JobRow);
  db.jobs.set(found);
  return found;
}

export function toFound(row: JobRow): StoredJob {
  const spec = JSON.parse(row.spec) as Omit<JobSpec, "id">;
  const state = withLeaseEnd(JSON.parse(row.state) as JobState, row.lease_expires_at ?? 0);
  const job: Job = { id: row.id as JobId, ...spec, state, lastSeq: row.seq };
  return { num: row.num, job, fence: row.fence, blocked: row.blocked };
}

export function toSpecText(spec: JobSpec): string {
  const { id: _id, ...rest } = spec;
  return JSON.stringify(rest);
}

/** The values of `stateColumns`. */
export function toStateValues(state: JobState, searched: SearchedState): (string | number | null)[] {
  return [
    searched.status,
    searched.isReady ? 1 : 0,
    searched.runAt ?? null,
    searched.deadlineAt ?? null,
    searched.leaseExpiresAt ?? null,
    searched.expiresAt ?? null,
    searched.unseenAt ?? null,
    searched.finishedAt ?? null,
    JSON.stringify(state),
  ];
}

export const stateColumns = [
  "status",
  "ready",
  "run_at",
  "deadline_at",
  "lease_expires_at",
  "expires_at",
  "unseen_at",
  "finished_at",
  "state",
];

const updateState = `UPDATE jobs SET ${stateColumns.map((column) => `${column} = ?`).join(", ")},
  seq = ?, fence = ?, blocked = ? WHERE num = ?`;

/** Writes a change with its events and says so; the caller takes care of what else follows from it. */
export function writeChange(db: Database, before: StoredJob, change: Change, now: number): StoredJob {
  const { stored, events, deliveries, hints, end } = recordChange(before, change);
  const { num, job, fence, blocked } = stored;
  const { state } = job;
  db.sql(updateState).run(...toStateValues(state, toSearched(job, blocked, now)), job.lastSeq, fence, blocked, num);
  appendEvents(db, num, events, now);
  db.counts.move(before, state.status);
  if (end !== undefined) insertEnd(db, end);
  if (deliveries.length > 0) insertDeliveries(db, stored, deliveries, now);
  if (job.schedule !== undefined) noteScheduledJob(db, job);
  if (state.status === "queued" && state.runAt > now) db.delays.note(state.runAt);
  for (const hint of hints) db.hint(hint);
  db.jobs.set(stored);
  return stored;
}

export function appendEvents(db: Database, num: number, events: readonly NumberedEvent[], at: number): void {
  const insert = db.sql("INSERT INTO events (job, seq, at, body) VALUES (?, ?, ?, ?)");
  for (const { seq, body } of events) insert.run(num, seq, at, JSON.stringify(body));
}

export function readEvents(db: Database, id: JobId, after: number, limit: number): JobEvent[] {
  const rows = db
    .sql(
      `SELECT e.seq, e.at, e.body FROM events e
       WHERE e.job = (SELECT num FROM jobs WHERE id = ?) AND e.seq > ? ORDER BY e.seq LIMIT ?`,
    )
    .all(id, after, limit) as { seq: number; at: number; body: string }[];
  return rows.map((row) => ({
    jobId: id,
    seq: row.seq,
    at: row.at,
    ...(JSON.parse(row.body) as Change["events"][number]),
  }));
}
