import type { EventBody } from "../../../job/event.ts";
import type { JobId } from "../../../job/id.ts";
import type { Job, JobSpec } from "../../../job/job.ts";
import { isHeld, type JobState, type JobStatus } from "../../../job/state.ts";
import { toSearched, type NumberedEvent, type StoredJob } from "../../rules/change.ts";
import { withLeaseEnd } from "../../rules/leases.ts";
import { Needs, type Lookup, type Row, type SetStatement, type Unit } from "../writing/unit.ts";

/** A job in a transaction, with what this store keeps beside it. */
export interface Entry {
  readonly stored: StoredJob;
  readonly turn: number;
  /** It may be claimed as soon as there is room: it has a ticket, or is parked because its key is full. */
  readonly isReady: boolean;
  readonly isParked: boolean;
  /** Others depend on it. */
  readonly isNeeded: boolean;
  /** Its row is not written yet. */
  readonly isNew: boolean;
  /** How it was when the transaction began: in which state; with a ticket; parked; in a room under its key, with a ticket or held. */
  readonly before: JobStatus | undefined;
  readonly hadTicket: boolean;
  readonly wasParked: boolean;
  readonly wasOpen: boolean;
}

export interface JobRow {
  readonly id: JobId;
  readonly spec: string;
  readonly state: string;
  readonly seq: number;
  readonly fence: number;
  readonly blocked: number;
  readonly lease_expires_at: number | null;
}

export interface EntryRow extends JobRow {
  readonly turn: number;
  readonly ready: boolean;
  readonly parked: boolean;
  readonly needed: boolean;
}

export const jobColumns = "j.id, j.spec, s.state, s.seq, s.fence, s.blocked, s.lease_expires_at";

export function toStored(row: JobRow): StoredJob {
  const spec = JSON.parse(row.spec) as Omit<JobSpec, "id">;
  const state = withLeaseEnd(JSON.parse(row.state) as JobState, row.lease_expires_at ?? 0);
  const job: Job = { id: row.id, ...spec, state, lastSeq: row.seq };
  return { num: toNumber(row.id), job, fence: row.fence, blocked: row.blocked };
}

/** An id begins with its time and a counter: together a number that rises with every job that one process makes. */
export function toNumber(id: JobId): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16) * 0x1000 + Number.parseInt(id.slice(15, 18), 16);
}

export function toSpecText(spec: JobSpec): string {
  const { id: _id, ...rest } = spec;
  return JSON.stringify(rest);
}

export const entryColumns = `${jobColumns}, s.turn, s.ready, s.parked,
    EXISTS (SELECT 1 FROM longhaul.dependencies d WHERE d.needs = s.id) AS needed`;

/** From one id to the next, by the primary keys: without OFFSET the planner may begin at a table that it believes to be small. */
export function fromEach(ids: string): string {
  return `FROM ${ids} AS w (id)
  CROSS JOIN LATERAL (SELECT * FROM longhaul.states WHERE id = w.id OFFSET 0) AS s
  CROSS JOIN LATERAL (SELECT * FROM longhaul.jobs WHERE id = w.id OFFSET 0) AS j`;
}

/** Rows are locked in the order of their ids, and read by a second statement, which sees what was committed while the first one waited. */
const lockRows = "SELECT id FROM longhaul.states WHERE id = ANY ($1::uuid[]) ORDER BY id FOR UPDATE";
const readRows = `SELECT ${entryColumns} ${fromEach("unnest($1::uuid[])")}`;

export const entries: Lookup<Entry> = {
  name: "job",
  order: 2,
  load: async (session, ids) => {
    const [, rows] = await Promise.all([session.query(lockRows, [ids]), session.query<EntryRow>(readRows, [ids])]);
    return new Map(rows.map((row) => [row.id, toEntry(row)]));
  },
};

export function needsOf(...ids: readonly JobId[]): Needs {
  const needs = new Needs();
  for (const id of ids) needs.add(entries, id);
  return needs;
}

export function toEntry(row: EntryRow): Entry {
  const stored = toStored(row);
  const hadTicket = row.ready && !row.parked;
  return {
    stored,
    turn: row.turn,
    isReady: row.ready,
    isParked: row.parked,
    isNeeded: row.needed,
    isNew: false,
    before: stored.job.state.status,
    hadTicket,
    wasParked: row.parked,
    wasOpen: hadTicket || isHeld(stored.job.state),
  };
}

export const insertEvents: SetStatement = {
  order: 20,
  sql: `INSERT INTO longhaul.events (job, seq, at, body)
    SELECT * FROM unnest($1::uuid[], $2::bigint[], $3::bigint[], $4::text[])`,
};

export function writeEvents(unit: Unit, id: JobId, events: readonly NumberedEvent[], at: number): void {
  for (const { seq, body } of events) unit.write(insertEvents, [id, seq, at, JSON.stringify(body satisfies EventBody)]);
}

const stateColumns = [
  ["id", "uuid"],
  ["turn", "bigint"],
  ["blocked", "integer"],
  ["fence", "bigint"],
  ["seq", "bigint"],
  ["status", "text"],
  ["ready", "boolean"],
  ["parked", "boolean"],
  ["run_at", "bigint"],
  ["deadline_at", "bigint"],
  ["lease_expires_at", "bigint"],
  ["worker", "text"],
  ["machine", "text"],
  ["cancel_asked", "boolean"],
  ["expires_at", "bigint"],
  ["unseen_at", "bigint"],
  ["finished_at", "bigint"],
  ["state", "text"],
] as const;

const fixedColumns = [
  ["kind", "text"],
  ["owner", "text"],
  ["place", "text"],
  ["slot_key", "text"],
  ["priority", "integer"],
] as const;

const names = (columns: readonly (readonly [string, string])[]): string => columns.map(([name]) => name).join(", ");
const arrays = (columns: readonly (readonly [string, string])[]): string =>
  columns.map(([, type], index) => `$${index + 1}::${type}[]`).join(", ");

/** The rows are locked by then, so they stay where they are found. */
export const updateStates: SetStatement = {
  order: 11,
  sql: `UPDATE longhaul.states s SET ${stateColumns
    .slice(1)
    .map(([name]) => `${name} = n.${name}`)
    .join(", ")}
    FROM unnest(${arrays(stateColumns)}) AS n (${names(stateColumns)})
      CROSS JOIN LATERAL (SELECT ctid AS place FROM longhaul.states WHERE id = n.id OFFSET 0) AS found
    WHERE s.ctid = found.place`,
};

const insertedColumns = [...stateColumns, ...fixedColumns];

export const insertStates: SetStatement = {
  order: 11,
  sql: `INSERT INTO longhaul.states (${names(insertedColumns)}) SELECT * FROM unnest(${arrays(insertedColumns)})`,
};

/** Of jobs that are pinned to none. */
export const noPlace = "";

/** Writes the row of a job as it is now; `now` is when it came to be so. */
export function writeState(unit: Unit, entry: Entry, now: number): void {
  const { stored } = entry;
  const { id, state, lastSeq, kind, owner, place, key, priority } = stored.job;
  const searched = toSearched(stored.job, stored.blocked, now);
  const held = isHeld(state) ? state : undefined;
  const row: Row = [
    id,
    entry.turn,
    stored.blocked,
    stored.fence,
    lastSeq,
    searched.status,
    entry.isReady,
    entry.isParked,
    searched.runAt ?? null,
    searched.deadlineAt ?? null,
    searched.leaseExpiresAt ?? null,
    held?.lease.worker ?? null,
    held?.lease.machine ?? null,
    held?.cancelRequest !== undefined,
    searched.expiresAt ?? null,
    searched.unseenAt ?? null,
    searched.finishedAt ?? null,
    JSON.stringify(state),
  ];
  if (entry.isNew) unit.write(insertStates, [...row, kind, owner, place ?? noPlace, key ?? null, priority], id);
  else unit.write(updateStates, row, id);
}
