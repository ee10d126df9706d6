import type { JobId } from "../../job/id.ts";
import type { Database } from "./database.ts";

/** For this long an id that is gone is told from one that never was. */
const tombstoneAgeMs = 30 * 24 * 3_600_000;

const ownedTables = ["inputs", "results", "checkpoints", "events", "questions", "tags", "dependencies"];

export function findExpired(db: Database, now: number, limit: number): JobId[] {
  const rows = db.sql("SELECT id FROM jobs WHERE expires_at <= ? ORDER BY expires_at LIMIT ?").all(now, limit);
  return (rows as { id: JobId }[]).map(({ id }) => id);
}

export function purgeJobs(db: Database, ids: readonly JobId[], now: number): number {
  db.sql("DELETE FROM tombstones WHERE purged_at < ?").run(now - tombstoneAgeMs);
  return ids.filter((id) => purgeJob(db, id, now)).length;
}

function purgeJob(db: Database, id: JobId, now: number): boolean {
  const row = db.sql("SELECT num, owner FROM jobs WHERE id = ? AND expires_at <= ?").get(id, now);
  if (row === undefined) return false;
  const { num, owner } = row as { num: number; owner: string };
  for (const table of ownedTables) db.sql(`DELETE FROM ${table} WHERE job = ?`).run(num);
  db.sql("DELETE FROM dependencies WHERE needs = ?").run(num);
  db.sql("DELETE FROM search WHERE rowid = ?").run(num);
  db.sql("DELETE FROM jobs WHERE num = ?").run(num);
  db.sql("INSERT OR REPLACE INTO tombstones (id, owner, purged_at) VALUES (?, ?, ?)").run(id, owner, now);
  return true;
}
