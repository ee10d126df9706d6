import type { JobId } from "../../job/id.ts";
import type { JobStatus } from "../../job/state.ts";
import { requireRemovable } from "../rules/remove.ts";
import type { Database } from "./database.ts";
import { findJob } from "./rows.ts";

/** For this long an id that is gone is told from one that never was. */
const tombstoneAgeMs = 30 * 24 * 3_600_000;

const jobTables = ["specs", "results", "checkpoints", "events", "questions", "tags", "dependencies"];
const ownedTables = [...jobTables, "receivers", "deliveries"];

/** Removes the rows of jobs whose retention has ended; their files are removed afterwards. */
export function purgeJobs(db: Database, now: number, limit: number): number {
  db.sql("DELETE FROM tombstones WHERE purged_at < ? AND has_output = 0").run(now - tombstoneAgeMs);
  const rows = db
    .sql(
      `SELECT num, id, owner, kind, batch, status FROM jobs j WHERE expires_at <= ?
         AND NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.job = j.num AND d.state = 'pending')
       ORDER BY expires_at LIMIT ?`,
    )
    .all(now, limit) as PurgedRow[];
  for (const row of rows) removeRows(db, row, now);
  return rows.length;
}

/** Removes the rows of one job, if it may go; its files are removed afterwards. */
export function removeJob(db: Database, id: JobId, now: number): boolean {
  const found = findJob(db, id);
  if (found === undefined) return false;
  const { parent, owner, kind, batch = null, state } = found.job;
  requireRemovable(found.job, parent === undefined ? undefined : findJob(db, parent)?.job);
  removeRows(db, { num: found.num, id, owner, kind, batch, status: state.status }, now);
  return true;
}

interface PurgedRow {
  readonly num: number;
  readonly id: JobId;
  readonly owner: string;
  readonly kind: string;
  readonly batch: string | null;
  readonly status: JobStatus;
}

function removeRows(db: Database, { num, id, owner, kind, batch, status }: PurgedRow, now: number): void {
  for (const table of ownedTables) db.sql(`DELETE FROM ${table} WHERE job = ?`).run(num);
  db.sql("DELETE FROM dependencies WHERE needs = ?").run(num);
  db.sql("DELETE FROM search WHERE rowid = ?").run(num);
  db.sql("DELETE FROM jobs WHERE num = ?").run(num);
  const cached = db.jobs.getByNumber(num);
  if (cached !== undefined) db.jobs.delete(cached);
  const bury = "INSERT OR REPLACE INTO tombstones (id, owner, purged_at, has_output) VALUES (?, ?, ?, 1)";
  db.sql(bury).run(id, owner, now);
  db.counts.add({ num, job: { owner, kind, ...(batch === null ? {} : { batch }) } }, status, -1);
  db.hint({ type: "job-removed", id, owner, kind });
}

/** Jobs that are gone but whose files may still be there. */
export function findLeftOutput(db: Database, limit: number): JobId[] {
  const rows = db.sql("SELECT id FROM tombstones WHERE has_output = 1 LIMIT ?").all(limit);
  return (rows as { id: JobId }[]).map(({ id }) => id);
}

export function forgetOutput(db: Database, ids: readonly JobId[]): void {
  for (const id of ids) db.sql("UPDATE tombstones SET has_output = 0 WHERE id = ?").run(id);
}
