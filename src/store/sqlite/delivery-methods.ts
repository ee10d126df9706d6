import type { JobId } from "../../job/id.ts";
import type {
  Delivery,
  DeliveryClaim,
  DeliveryClaimRequest,
  DeliveryClaims,
  DeliveryFilter,
  DeliveryKey,
  DeliveryPage,
  DeliveryResult,
} from "../delivery.ts";
import {
  firstDeliveries,
  nextDueAt,
  roomAtHosts,
  toDeliveryClaim,
  toSettled,
  type BusyHosts,
  type PendingHost,
  type StoredDelivery,
} from "../rules/deliveries.ts";
import { parseCursor, toPage } from "../rules/paging.ts";
import type { PageRequest, Store } from "../store.ts";
import type { JobState } from "../../job/state.ts";
import type { Database, Write } from "./database.ts";
import { findByNumber, findJob } from "./rows.ts";

type DeliveryVerb = "claimDeliveries" | "settleDelivery" | "listDeliveries" | "redeliver";

export function deliveryVerbs(db: Database, write: Write): Pick<Store, DeliveryVerb> {
  let freeing: Promise<void> | undefined;
  const freeOnce = (now: number): Promise<void> =>
    (freeing ??= write(() => freeClaims(db, now)).catch((error: unknown) => {
      freeing = undefined;
      throw error;
    }));
  return {
    claimDeliveries: async (request) => {
      await freeOnce(request.now);
      return write(() => claimDeliveries(db, request));
    },
    settleDelivery: (claim, result) => write(() => settleDelivery(db, claim, result)),
    listDeliveries: async (filter, page) => listDeliveries(db, filter, page),
    redeliver: (id, which, now) => write(() => redeliver(db, id, which, now)),
  };
}

function settleDelivery(db: Database, claim: DeliveryClaim, result: DeliveryResult): boolean {
  const num = findJob(db, claim.job.id)?.num;
  if (num === undefined) return false;
  const settled = toSettled(result);
  const { changes } = db
    .sql(
      `UPDATE deliveries SET state = ?1, is_claimed = 0, next_at = ?2, delivered_at = ?3, uncounted = uncounted + ?4,
         last_status = iif(?4, last_status, ?5), last_error = iif(?4, last_error, ?6)
       WHERE job = ?7 AND seq = ?8 AND target = ?9 AND attempts = ?10 AND is_claimed = 1`,
    )
    .run(
      settled.state,
      settled.nextAt ?? null,
      settled.deliveredAt ?? null,
      settled.isCutShort ? 1 : 0,
      settled.lastStatus ?? null,
      settled.lastError ?? null,
      num,
      claim.seq,
      claim.target,
      claim.attempt,
    );
  if (Number(changes) === 0) return false;
  if (settled.endsReceiver) endReceiver(db, num, claim.target);
  return true;
}

function endReceiver(db: Database, num: number, target: number): void {
  db.sql("UPDATE receivers SET is_gone = 1 WHERE job = ? AND target = ?").run(num, target);
  db.sql(
    `UPDATE deliveries SET state = 'gone', is_claimed = 0, next_at = NULL
     WHERE job = ? AND target = ? AND state = 'pending'`,
  ).run(num, target);
}

function redeliver(db: Database, id: JobId, which: DeliveryKey | undefined, now: number): DeliveryKey[] {
  const num = findJob(db, id)?.num;
  if (num === undefined) return [];
  const wanted =
    which === undefined
      ? "state IN ('failed', 'gone') AND ?3 IS NULL AND ?4 IS NULL"
      : "seq = ?3 AND target = ?4 AND is_claimed = 0";
  const rows = db
    .sql(
      `UPDATE deliveries SET state = 'pending', next_at = ?2, delivered_at = NULL, uncounted = attempts
       WHERE job = ?1 AND ${wanted} RETURNING seq, target`,
    )
    .all(num, now, which?.seq ?? null, which?.target ?? null) as { seq: number; target: number }[];
  for (const { target } of rows)
    db.sql("UPDATE receivers SET is_gone = 0 WHERE job = ? AND target = ?").run(num, target);
  if (rows.length > 0) db.hint({ type: "delivery-due" });
  return rows.map(({ seq, target }) => ({ seq, target })).toSorted((a, b) => a.seq - b.seq || a.target - b.target);
}

interface DeliveryRow extends Pick<Delivery, "seq" | "target" | "type" | "url" | "state" | "attempts"> {
  job: number;
  id: string;
  next_at: number | null;
  last_status: number | null;
  last_error: string | null;
  created_at: number;
  delivered_at: number | null;
}

const shownUrl = "iif(d.target = 0, s.spec ->> '$.webhook.url', s.spec ->> ('$.notify.to[' || (d.target - 1) || ']'))";

function listDeliveries(db: Database, filter: DeliveryFilter, { limit, cursor }: PageRequest): DeliveryPage {
  const num = filter.job === undefined ? undefined : findJob(db, filter.job)?.num;
  if (filter.job !== undefined && num === undefined) return { deliveries: [] };
  const before = cursor === undefined ? [Number.MAX_SAFE_INTEGER, 0, 0] : parseCursor(cursor, 3);
  const conditions = [
    "(d.job, d.seq, d.target) < (?1, ?2, ?3)",
    filter.state === undefined ? "?4 IS NULL" : "d.state = ?4",
    num === undefined ? "?5 IS NULL" : "d.job = ?5",
    filter.owner === undefined ? "?6 IS NULL" : "j.owner = ?6",
    filter.kinds === undefined ? "?8 IS NULL" : "j.kind IN (SELECT value FROM json_each(?8))",
  ];
  const rows = db
    .sql(
      `SELECT d.job, j.id, d.seq, d.target, d.type, ${shownUrl} AS url, d.state, d.attempts,
         iif(d.is_claimed, NULL, d.next_at) AS next_at,
         d.last_status, d.last_error, d.created_at, d.delivered_at
       FROM deliveries d CROSS JOIN jobs j ON j.num = d.job CROSS JOIN specs s ON s.job = d.job
       WHERE ${conditions.join(" AND ")} ORDER BY d.job DESC, d.seq DESC, d.target DESC LIMIT ?7`,
    )
    .all(
      ...before,
      filter.state ?? null,
      num ?? null,
      filter.owner ?? null,
      limit + 1,
      filter.kinds === undefined ? null : JSON.stringify(filter.kinds),
    ) as DeliveryRow[];
  const { shown, ...next } = toPage(rows, limit, (row) => [row.job, row.seq, row.target]);
  return { deliveries: shown.map(toDelivery), ...next };
}

function toDelivery(row: DeliveryRow): Delivery {
  const { seq, target, type, url, state, attempts } = row;
  return {
    jobId: row.id as JobId,
    seq,
    target,
    type,
    url,
    state,
    attempts,
    createdAt: row.created_at,
    nextAt: row.next_at ?? undefined,
    deliveredAt: row.delivered_at ?? undefined,
    lastStatus: row.last_status ?? undefined,
    lastError: row.last_error ?? undefined,
  };
}

/** Only one process has the file open: claims that are there when it begins were cut short by the end of another. */
function freeClaims(db: Database, now: number): void {
  db.sql(
    `UPDATE deliveries SET is_claimed = 0, next_at = ?, uncounted = uncounted + 1
     WHERE state = 'pending' AND is_claimed = 1`,
  ).run(now);
}

function claimDeliveries(db: Database, request: DeliveryClaimRequest): DeliveryClaims {
  const { now, leaseMs } = request;
  if (db.deliveryClock.isSetBack(now)) restartDeliveries(db, now);
  const busy = busyHosts(db, now);
  const due = roomAtHosts(pendingHosts(db), request, busy).map(({ host, room }) => dueRows(db, host, now, room));
  const claims = firstDeliveries(due, request.max, busy).flatMap((row) => claimRow(db, row, now + leaseMs));
  return { claims, nextAt: nextDueAt(pendingHosts(db), now) };
}

function busyHosts(db: Database, now: number): BusyHosts {
  const rows = db
    .sql(
      `SELECT host, count(*) AS count FROM deliveries INDEXED BY deliveries_claimed
       WHERE is_claimed = 1 AND next_at > ? GROUP BY host`,
    )
    .all(now) as { host: string; count: number }[];
  return new Map(rows.map(({ host, count }) => [host, count]));
}

/** Sent at once: how long ago one was tried cannot be told. */
function restartDeliveries(db: Database, now: number): void {
  db.sql(
    `UPDATE deliveries INDEXED BY deliveries_state SET next_at = ?1, created_at = ?1
     WHERE state = 'pending' AND is_claimed = 0 AND created_at > ?1 AND next_at > ?1`,
  ).run(now);
}

/** The hosts that something is to be delivered to, found by one seek each, however much waits for them. */
function pendingHosts(db: Database): PendingHost[] {
  const pending = "FROM deliveries INDEXED BY deliveries_due WHERE state = 'pending' AND host";
  const rows = db
    .sql(
      `WITH RECURSIVE hosts (host) AS (
         SELECT (SELECT min(host) ${pending} >= '')
         UNION ALL SELECT (SELECT min(host) ${pending} > hosts.host) FROM hosts WHERE hosts.host IS NOT NULL)
       SELECT host, (SELECT min(next_at) ${pending} = hosts.host) AS nextAt FROM hosts WHERE host IS NOT NULL`,
    )
    .all();
  return rows as PendingHost[];
}

interface DueRow extends PendingHost, Pick<StoredDelivery, "seq" | "target" | "type" | "attempts" | "uncounted"> {
  readonly job: number;
  readonly jobState: string;
}

function dueRows(db: Database, host: string, now: number, limit: number): DueRow[] {
  return db
    .sql(
      `SELECT job, seq, target, type, host, job_state AS jobState, attempts, uncounted, next_at AS nextAt
       FROM deliveries INDEXED BY deliveries_due WHERE state = 'pending' AND host = ? AND next_at <= ? ORDER BY next_at LIMIT ?`,
    )
    .all(host, now, limit) as DueRow[];
}

interface ReceiverRow extends Pick<DeliveryClaim, "format" | "url"> {
  readonly secret: string | null;
}

function claimRow(db: Database, row: DueRow, leaseEndsAt: number): DeliveryClaim[] {
  const found = findByNumber(db, row.job);
  const receiver = db
    .sql("SELECT format, url, secret FROM receivers WHERE job = ? AND target = ?")
    .get(row.job, row.target) as ReceiverRow | undefined;
  if (found === undefined || receiver === undefined) return [];
  const { format, url, secret } = receiver;
  const delivery = { ...row, jobState: JSON.parse(row.jobState) as JobState };
  const claim = toDeliveryClaim(found.job, { format, url, ...(secret === null ? {} : { secret }) }, delivery);
  db.sql(
    "UPDATE deliveries SET is_claimed = 1, attempts = ?, next_at = ? WHERE job = ? AND seq = ? AND target = ?",
  ).run(claim.attempt, leaseEndsAt, row.job, row.seq, row.target);
  return [claim];
}
