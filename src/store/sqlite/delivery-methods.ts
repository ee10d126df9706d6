import type { JobId } from "../../job/id.ts";
import type {
  Delivery,
  DeliveryClaim,
  DeliveryClaimRequest,
  DeliveryClaims,
  DeliveryFilter,
  DeliveryPage,
  DeliveryResult,
} from "../delivery.ts";
import {
  firstDeliveries,
  nextDueAt,
  roomAtHosts,
  toDeliveryClaim,
  toSettled,
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
  let isFirstClaim = true;
  return {
    claimDeliveries: async (request) => {
      const claimed = await write(() => {
        if (isFirstClaim) freeClaims(db, request.now);
        return claimDeliveries(db, request);
      });
      isFirstClaim = false;
      return claimed;
    },
    settleDelivery: (claim, result) => write(() => settleDelivery(db, claim, result)),
    listDeliveries: async (filter, page) => listDeliveries(db, filter, page),
    redeliver: (id, seq, now) => write(() => redeliver(db, id, seq, now)),
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
       WHERE job = ?7 AND seq = ?8 AND attempts = ?9 AND is_claimed = 1`,
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
      claim.attempt,
    );
  if (Number(changes) === 0) return false;
  if (settled.endsWebhook) endWebhook(db, num);
  return true;
}

function endWebhook(db: Database, num: number): void {
  db.sql("UPDATE webhooks SET is_gone = 1 WHERE job = ?").run(num);
  db.sql(
    "UPDATE deliveries SET state = 'gone', is_claimed = 0, next_at = NULL WHERE job = ? AND state = 'pending'",
  ).run(num);
}

function redeliver(db: Database, id: JobId, seq: number | undefined, now: number): number[] {
  const num = findJob(db, id)?.num;
  if (num === undefined) return [];
  const which = seq === undefined ? "state IN ('failed', 'gone') AND ?3 IS NULL" : "seq = ?3 AND is_claimed = 0";
  const rows = db
    .sql(
      `UPDATE deliveries SET state = 'pending', next_at = ?2, delivered_at = NULL, uncounted = attempts
       WHERE job = ?1 AND ${which} RETURNING seq`,
    )
    .all(num, now, seq ?? null) as { seq: number }[];
  if (rows.length > 0) {
    db.sql("UPDATE webhooks SET is_gone = 0 WHERE job = ?").run(num);
    db.hint({ type: "delivery-due" });
  }
  return rows.map((row) => row.seq).toSorted((a, b) => a - b);
}

interface DeliveryRow extends Pick<Delivery, "seq" | "type" | "url" | "state" | "attempts"> {
  job: number;
  id: string;
  next_at: number | null;
  last_status: number | null;
  last_error: string | null;
  created_at: number;
  delivered_at: number | null;
}

function listDeliveries(db: Database, filter: DeliveryFilter, { limit, cursor }: PageRequest): DeliveryPage {
  const num = filter.job === undefined ? undefined : findJob(db, filter.job)?.num;
  if (filter.job !== undefined && num === undefined) return { deliveries: [] };
  const before = cursor === undefined ? [Number.MAX_SAFE_INTEGER, 0] : parseCursor(cursor, 2);
  const conditions = [
    "(d.job, d.seq) < (?1, ?2)",
    filter.state === undefined ? "?3 IS NULL" : "d.state = ?3",
    num === undefined ? "?4 IS NULL" : "d.job = ?4",
    filter.owner === undefined ? "?5 IS NULL" : "j.owner = ?5",
    filter.kinds === undefined ? "?7 IS NULL" : "j.kind IN (SELECT value FROM json_each(?7))",
  ];
  const rows = db
    .sql(
      `SELECT d.job, j.id, d.seq, d.type, s.spec ->> '$.webhook.url' AS url, d.state, d.attempts,
         iif(d.is_claimed, NULL, d.next_at) AS next_at,
         d.last_status, d.last_error, d.created_at, d.delivered_at
       FROM deliveries d CROSS JOIN jobs j ON j.num = d.job CROSS JOIN specs s ON s.job = d.job
       WHERE ${conditions.join(" AND ")} ORDER BY d.job DESC, d.seq DESC LIMIT ?6`,
    )
    .all(
      ...before,
      filter.state ?? null,
      num ?? null,
      filter.owner ?? null,
      limit + 1,
      filter.kinds === undefined ? null : JSON.stringify(filter.kinds),
    ) as DeliveryRow[];
  const { shown, ...next } = toPage(rows, limit, (row) => [row.job, row.seq]);
  return { deliveries: shown.map(toDelivery), ...next };
}

function toDelivery(row: DeliveryRow): Delivery {
  const { seq, type, url, state, attempts } = row;
  return {
    jobId: row.id as JobId,
    seq,
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
  const due = roomAtHosts(pendingHosts(db), request).map(({ host, room }) => dueRows(db, host, now, room));
  const claims = firstDeliveries(due, request).flatMap((row) => claimRow(db, row, now + leaseMs));
  return { claims, nextAt: nextDueAt(pendingHosts(db), now) };
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

interface DueRow extends PendingHost, Pick<StoredDelivery, "seq" | "type" | "attempts" | "uncounted"> {
  readonly job: number;
  readonly jobState: string;
}

function dueRows(db: Database, host: string, now: number, limit: number): DueRow[] {
  return db
    .sql(
      `SELECT job, seq, type, host, job_state AS jobState, attempts, uncounted, next_at AS nextAt
       FROM deliveries INDEXED BY deliveries_due WHERE state = 'pending' AND host = ? AND next_at <= ? ORDER BY next_at LIMIT ?`,
    )
    .all(host, now, limit) as DueRow[];
}

function claimRow(db: Database, row: DueRow, leaseEndsAt: number): DeliveryClaim[] {
  const found = findByNumber(db, row.job);
  const webhook = db.sql("SELECT url, secret FROM webhooks WHERE job = ?").get(row.job) as
    | { url: string; secret: string | null }
    | undefined;
  if (found === undefined || webhook === undefined) return [];
  const { url, secret } = webhook;
  const delivery = { ...row, jobState: JSON.parse(row.jobState) as JobState };
  const claim = toDeliveryClaim(found.job, { url, ...(secret === null ? {} : { secret }) }, delivery);
  db.sql("UPDATE deliveries SET is_claimed = 1, attempts = ?, next_at = ? WHERE job = ? AND seq = ?").run(
    claim.attempt,
    leaseEndsAt,
    row.job,
    row.seq,
  );
  return [claim];
}
