import type { JobId } from "../../job/id.ts";
import { limitOfKey, roomForKey } from "../rules/claims.ts";
import type { QueuedFacts, QueuedRequest } from "../kind-limits.ts";
import type { Database } from "./database.ts";
import { findJob } from "./rows.ts";

export function readQueued(db: Database, id: JobId, request: QueuedRequest): QueuedFacts | undefined {
  const found = findJob(db, id);
  if (found?.job.state.status !== "queued") return undefined;
  const { kind, key = "" } = found.job;
  const limits = db.starts.limitsOf(kind);
  const jobsAhead = countAhead(db, id, request.countUpTo);
  return {
    isPaused: pausedKinds(db).includes(kind),
    ...(jobsAhead === undefined ? {} : { jobsAhead }),
    ...(roomForKey(limits, key, countHeld(db, kind, key)) > 0 ? {} : { fullKey: limitOfKey(limits, key) }),
    ...(db.starts.free(kind, request) > 0 ? {} : { usedUpRate: limits.rate }),
  };
}

export function pausedKinds(db: Database): string[] {
  const rows = db.sql("SELECT kind FROM paused_kinds ORDER BY kind").all() as { kind: string }[];
  return rows.map(({ kind }) => kind);
}

function countHeld(db: Database, kind: string, key: string): number {
  const row = db
    .sql(
      `SELECT count(*) AS count FROM jobs INDEXED BY jobs_held_key
       WHERE kind = ? AND slot_key = ? AND lease_expires_at IS NOT NULL`,
    )
    .get(kind, key) as { count: number };
  return row.count;
}

function countAhead(db: Database, id: JobId, limit: number): number | undefined {
  const mine = db.sql("SELECT num, kind, place, priority, turn FROM jobs WHERE id = ? AND ready = 1").get(id) as
    | { num: number; kind: string; place: string | null; priority: number; turn: number }
    | undefined;
  if (mine === undefined) return undefined;
  const row = db
    .sql(
      `SELECT count(*) AS count FROM (SELECT 1 FROM jobs INDEXED BY jobs_ready
       WHERE kind = ?1 AND place IS ?6 AND ready = 1
         AND (priority > ?2 OR (priority = ?2 AND (turn, num) < (?3, ?4))) LIMIT ?5)`,
    )
    .get(mine.kind, mine.priority, mine.turn, mine.num, limit, mine.place) as { count: number };
  return row.count;
}
