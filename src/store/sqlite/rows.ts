import type { JobEvent } from "../../job/event.ts";
import type { JobId } from "../../job/id.ts";
import type { Job, JobSpec } from "../../job/job.ts";
import { isHeld, type JobState } from "../../job/state.ts";
import type { Change } from "../../job/transitions.ts";
import type { Database } from "./database.ts";
import { recordDeliveries } from "./deliveries.ts";

/** A job together with what only the tables know of it. */
export interface Found {
  readonly num: number;
  readonly job: Job;
  readonly fence: number;
  /** How many jobs it depends on have not succeeded yet. */
  readonly blocked: number;
}

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

export function findJob(db: Database, id: JobId): Found | undefined {
  return db.jobs.get(id) ?? read(db, db.sql(`SELECT ${jobColumns} FROM jobs j ${withSpec} WHERE j.id = ?`).get(id));
}

export function findByNumber(db: Database, num: number): Found | undefined {
  const select = `SELECT ${jobColumns} FROM jobs j ${withSpec} WHERE j.num = ?`;
  return db.jobs.getByNumber(num) ?? read(db, db.sql(select).get(num));
}

function read(db: Database, row: unknown): Found | undefined {
  if (row === undefined) return undefined;
  const found = toFound(row as JobRow);
  db.jobs.set(found);
  return found;
}

export function toFound(row: JobRow): Found {
  const spec = JSON.parse(row.spec) as Omit<JobSpec, "id">;
  const job: Job = { id: row.id as JobId, ...spec, state: toState(row), lastSeq: row.seq };
  return { num: row.num, job, fence: row.fence, blocked: row.blocked };
}

/** A lease's end is kept in its column only: a heartbeat then need not rewrite the state. */
function toState(row: JobRow): JobState {
  const state = JSON.parse(row.state) as JobState;
  if (!isHeld(state)) return state;
  return { ...state, lease: { ...state.lease, expiresAt: row.lease_expires_at ?? 0 } };
}

export function toSpecText(spec: JobSpec): string {
  const { id: _id, ...rest } = spec;
  return JSON.stringify(rest);
}

/** The searchable columns that follow from a state, in the order of `stateColumns`. */
export function toStateValues(state: JobState, blocked: number, now: number): (string | number | null)[] {
  const isQueued = state.status === "queued";
  return [
    state.status,
    isQueued && blocked === 0 && state.runAt <= now ? 1 : 0,
    isQueued ? state.runAt : null,
    (isQueued ? state.deadlineAt : undefined) ?? null,
    isHeld(state) ? state.lease.expiresAt : null,
    "expiresAt" in state ? state.expiresAt : null,
    JSON.stringify(state),
  ];
}

export const stateColumns = ["status", "ready", "run_at", "deadline_at", "lease_expires_at", "expires_at", "state"];

const updateState = `UPDATE jobs SET ${stateColumns.map((column) => `${column} = ?`).join(", ")},
  seq = ?, fence = ?, blocked = ? WHERE num = ?`;

/** Writes a change with its events and says so; the caller takes care of what else follows from it. */
export function writeChange(db: Database, found: Found, change: Change, now: number): Found {
  const { job, num, fence, blocked } = found;
  const lastSeq = job.lastSeq + change.events.length;
  db.sql(updateState).run(...toStateValues(change.state, blocked, now), lastSeq, fence, blocked, num);
  appendEvents(db, num, job.lastSeq, change.events, now);
  if (job.webhook !== undefined) recordDeliveries(db, found, job.webhook, change, now);
  db.hint({ type: "job-changed", id: job.id, seq: lastSeq, status: change.state.status });
  if (change.state.status === "queued") {
    if (change.state.runAt > now) db.delays.note(change.state.runAt);
    db.hint({ type: "job-ready" });
  }
  const changed: Found = { ...found, job: { ...job, state: change.state, lastSeq } };
  db.jobs.set(changed);
  return changed;
}

export function appendEvents(db: Database, num: number, lastSeq: number, events: Change["events"], at: number): void {
  const insert = db.sql("INSERT INTO events (job, seq, at, body) VALUES (?, ?, ?, ?)");
  events.forEach((event, index) => insert.run(num, lastSeq + index + 1, at, JSON.stringify(event)));
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
