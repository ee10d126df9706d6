import { defined } from "../../job/defined.ts";
import { adopt, start, type Change } from "../../job/transitions.ts";
import type { Claim, Claimed, ClaimRequest, ClaimWant, LostLease } from "../store.ts";
import { applyChange } from "./change.ts";
import type { Database } from "./database.ts";
import { findByNumber, findJob, withSpec, type Found } from "./rows.ts";

interface ReadyRow {
  num: number;
  turn: number;
  priority: number;
  input: string;
}

export function claimJobs(db: Database, request: ClaimRequest): Claimed {
  db.delays.promote(db, request.now);
  const claims: Claim[] = [];
  for (const want of request.wants) {
    for (const row of readyRows(db, want)) {
      const found = findByNumber(db, row.num);
      const claim = found === undefined ? undefined : hold(db, found, row.input, request, start);
      if (claim === undefined) continue;
      db.turns.served(want.kind, row.priority, row.turn);
      claims.push(claim);
    }
  }
  return { claims, ...defined({ nextRunAt: db.delays.nextAt }) };
}

export function adoptJob(db: Database, lost: LostLease, request: Omit<ClaimRequest, "wants">): Claim | undefined {
  const found = findLost(db, lost);
  if (found === undefined) return undefined;
  const row = db.sql("SELECT input FROM specs WHERE job = ?").get(found.num) as { input: string };
  return hold(db, found, row.input, request, adopt);
}

/** The job, if it is still held under the lost lease and that lease has not been extended since. */
export function findLost(db: Database, lost: LostLease): Found | undefined {
  const found = findJob(db, lost.id);
  if (found === undefined || !("lease" in found.job.state)) return undefined;
  const { lease } = found.job.state;
  const isSame = lease.worker === lost.worker && lease.fence === lost.fence;
  return isSame && lease.expiresAt < lost.before ? found : undefined;
}

function hold(
  db: Database,
  found: Found,
  input: string,
  request: Omit<ClaimRequest, "wants">,
  transition: typeof start | typeof adopt,
): Claim | undefined {
  const { worker, leaseMs, now } = request;
  const fence = found.fence + 1;
  const change: Change | undefined = transition(found.job, { worker, fence, leaseMs, now });
  if (change === undefined) return undefined;
  const job = applyChange(db, { ...found, fence }, change, now);
  return { job, lease: { id: job.id, worker, fence }, input };
}

/** The index is named, because without statistics the planner prefers to sort. */
const readySelect = (index: string, condition: string): string =>
  `SELECT j.num, j.turn, j.priority, s.input FROM jobs j INDEXED BY ${index} ${withSpec}
   WHERE j.kind = ? AND j.ready = 1 ${condition} ORDER BY j.priority DESC, j.turn, j.num LIMIT ?`;

const selectReady = readySelect("jobs_ready", "");
const selectReadyWithoutKey = readySelect("jobs_ready", "AND j.slot_key IS NULL");
const selectReadyOfKey = readySelect("jobs_ready_key", "AND j.slot_key = ?");

function readyRows(db: Database, want: ClaimWant): ReadyRow[] {
  if (want.max <= 0) return [];
  if (want.perKey === undefined) return db.sql(selectReady).all(want.kind, want.max) as ReadyRow[];
  return readyRowsPerKey(db, want, want.perKey);
}

/** The first few of each key with room left, merged in claim order; jobs under the empty key, or under none, share no limit. */
function readyRowsPerKey(db: Database, want: ClaimWant, perKey: number): ReadyRow[] {
  const held = heldByKey(db, want.kind);
  const rows = readyKeys(db, want.kind).flatMap((key) => {
    const most = want.perKeyOf?.get(key) ?? perKey;
    const room = key === "" ? want.max : Math.min(want.max, most - (held.get(key) ?? 0));
    return room <= 0 ? [] : (db.sql(selectReadyOfKey).all(want.kind, key, room) as ReadyRow[]);
  });
  const keyless = db.sql(selectReadyWithoutKey).all(want.kind, want.max) as ReadyRow[];
  return [...rows, ...keyless]
    .toSorted((a, b) => b.priority - a.priority || a.turn - b.turn || a.num - b.num)
    .slice(0, want.max);
}

/** The keys that have ready jobs, found by one seek each, however many jobs wait under them. */
function readyKeys(db: Database, kind: string): string[] {
  const next = "SELECT min(slot_key) FROM jobs INDEXED BY jobs_ready_key WHERE kind = ?1 AND ready = 1 AND slot_key";
  const rows = db
    .sql(
      `WITH RECURSIVE keys (key) AS (
         SELECT (${next} >= '')
         UNION ALL SELECT (${next} > keys.key) FROM keys WHERE keys.key IS NOT NULL)
       SELECT key FROM keys WHERE key IS NOT NULL`,
    )
    .all(kind) as { key: string }[];
  return rows.map(({ key }) => key);
}

function heldByKey(db: Database, kind: string): Map<string, number> {
  const rows = db
    .sql(
      `SELECT slot_key AS key, count(*) AS count FROM jobs INDEXED BY jobs_held_key
       WHERE kind = ? AND lease_expires_at IS NOT NULL AND slot_key IS NOT NULL GROUP BY slot_key`,
    )
    .all(kind) as { key: string; count: number }[];
  return new Map(rows.map(({ key, count }) => [key, count]));
}
