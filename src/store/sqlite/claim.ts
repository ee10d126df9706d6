import { adopt, restartWait, start } from "../../job/transitions.ts";
import type { StoredJob } from "../rules/change.ts";
import { hasKeyLimits, holdJob, isStillLost, isWithinReach, placesOf, roomForKey } from "../rules/claims.ts";
import { firstInOrder, type ReadyJob } from "../rules/turns.ts";
import type { Claim, Claimed, ClaimRequest, ClaimWant, LeaseRequest, LostLease } from "../store.ts";
import { applyChange } from "./change.ts";
import type { Database } from "./database.ts";
import { pausedKinds } from "./queued.ts";
import { findByNumber, findJob, withSpec } from "./rows.ts";

/** What a worker is given besides the job. */
interface Given {
  input: string;
  client: string | null;
}

type ReadyRow = Given & ReadyJob;

export function claimJobs(db: Database, request: ClaimRequest): Claimed {
  if (db.jobClock.isSetBack(request.now)) restartWaits(db, request.now);
  db.delays.promote(db, request.now);
  const claims: Claim[] = [];
  const paused = new Set(pausedKinds(db));
  const wants = request.wants.filter(({ kind }) => !paused.has(kind));
  for (const want of wants) claims.push(...claimKind(db, want, request));
  const times = [db.delays.nextAt, ...wants.map(({ kind }) => db.starts.nextAt(kind, request))];
  const nextRunAt = Math.min(...times.map((time) => time ?? Infinity));
  return { claims, ...(nextRunAt === Infinity ? {} : { nextRunAt }) };
}

function claimKind(db: Database, { kind, max }: ClaimWant, request: ClaimRequest): Claim[] {
  const claims: Claim[] = [];
  const places = placesOf(request).filter((place) => place === null || db.places.has(place));
  for (const row of readyRows(db, { kind, max: Math.min(max, db.starts.free(kind, request)) }, places)) {
    const found = findByNumber(db, row.num);
    const claim = found === undefined ? undefined : hold(db, found, row, request, start);
    if (claim === undefined) continue;
    db.turns.served(kind, row.priority, row.turn);
    claims.push(claim);
  }
  db.starts.note(kind, request, claims.length);
  return claims;
}

const selectDelayed = `SELECT num FROM jobs INDEXED BY jobs_delayed
  WHERE status = 'queued' AND ready = 0 AND blocked = 0 AND run_at > ?`;
const selectLimited = "SELECT num FROM jobs INDEXED BY jobs_deadline WHERE deadline_at IS NOT NULL AND deadline_at > ?";

/** Those that are ready need nothing, and those that are blocked are looked at when they no longer are. */
function restartWaits(db: Database, now: number): void {
  const rows = [selectDelayed, selectLimited].flatMap((select) => db.sql(select).all(now) as { num: number }[]);
  for (const { num } of rows) {
    const found = findByNumber(db, num);
    const change = found === undefined ? undefined : restartWait(found.job, now);
    if (found !== undefined && change !== undefined) applyChange(db, found, change, now);
  }
}

export function adoptJob(db: Database, lost: LostLease, request: LeaseRequest): Claim | undefined {
  const found = findLost(db, lost);
  if (found === undefined || !isWithinReach(found.job, request.machine)) return undefined;
  const row = db.sql("SELECT input, client FROM specs WHERE job = ?").get(found.num) as Given;
  return hold(db, found, row, request, adopt);
}

/** The job, if it is still lost. */
export function findLost(db: Database, lost: LostLease): StoredJob | undefined {
  const found = findJob(db, lost.id);
  return found !== undefined && isStillLost(found.job, lost) ? found : undefined;
}

function hold(
  db: Database,
  found: StoredJob,
  { input, client }: Given,
  request: LeaseRequest,
  transition: typeof start | typeof adopt,
): Claim | undefined {
  const held = holdJob(found, request, transition);
  if (held === undefined) return undefined;
  const job = applyChange(db, held.stored, held.change, request.now);
  return { job, lease: held.lease, input, ...(client === null ? {} : { client }) };
}

/** The index is named, because without statistics the planner prefers to sort. */
const readySelect = (index: string, condition: string): string =>
  `SELECT j.num, j.turn, j.priority, s.input, s.client FROM jobs j INDEXED BY ${index} ${withSpec}
   WHERE j.kind = ? AND j.place IS ? AND j.ready = 1 ${condition} ORDER BY j.priority DESC, j.turn, j.num LIMIT ?`;

const selectReady = readySelect("jobs_ready", "");
const selectReadyWithoutKey = readySelect("jobs_ready", "AND j.slot_key IS NULL");
const selectReadyOfKey = readySelect("jobs_ready_key", "AND j.slot_key = ?");

type Place = string | null;

function readyRows(db: Database, { kind, max }: ClaimWant, places: readonly Place[]): ReadyRow[] {
  if (max <= 0) return [];
  if (hasKeyLimits(db.starts.limitsOf(kind))) return readyRowsPerKey(db, { kind, max }, places);
  const lists = places.map((place) => db.sql(selectReady).all(kind, place, max) as ReadyRow[]);
  return mergeInOrder(lists, max);
}

/** The first few of each key with room left, merged in claim order. */
function readyRowsPerKey(db: Database, { kind, max }: ClaimWant, places: readonly Place[]): ReadyRow[] {
  const limits = db.starts.limitsOf(kind);
  const held = heldByKey(db, kind);
  const keys = new Set(places.flatMap((place) => readyKeys(db, kind, place)));
  const keyed = [...keys].map((key) => {
    const room = Math.min(max, roomForKey(limits, key, held.get(key) ?? 0));
    if (room === 0) return [];
    const lists = places.map((place) => db.sql(selectReadyOfKey).all(kind, place, key, room) as ReadyRow[]);
    return mergeInOrder(lists, room);
  });
  const keyless = places.map((place) => db.sql(selectReadyWithoutKey).all(kind, place, max) as ReadyRow[]);
  return firstInOrder([...keyed, ...keyless].flat(), max);
}

/** Of lists that are in claim order: nearly always there is just one, because no job is pinned to a place. */
function mergeInOrder(lists: readonly ReadyRow[][], max: number): ReadyRow[] {
  const [only = [], ...others] = lists;
  return others.length === 0 ? only : firstInOrder(lists.flat(), max);
}

/** The keys that have ready jobs, found by one seek each, however many jobs wait under them. */
function readyKeys(db: Database, kind: string, place: Place): string[] {
  const next = `SELECT min(slot_key) FROM jobs INDEXED BY jobs_ready_key
    WHERE kind = ?1 AND place IS ?2 AND ready = 1 AND slot_key`;
  const rows = db
    .sql(
      `WITH RECURSIVE keys (key) AS (
         SELECT (${next} >= '')
         UNION ALL SELECT (${next} > keys.key) FROM keys WHERE keys.key IS NOT NULL)
       SELECT key FROM keys WHERE key IS NOT NULL`,
    )
    .all(kind, place) as { key: string }[];
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
