import type { JobState } from "../../job/state.ts";
import type { DeliveryType } from "../../job/webhook.ts";
import type { DeliveryClaim, DeliveryClaimRequest, DeliveryClaims } from "../delivery.ts";
import type { Database } from "./database.ts";
import { findByNumber } from "./rows.ts";

/** Only one process has the file open: claims that are there when it begins were cut short by the end of another. */
export function freeClaims(db: Database, now: number): void {
  db.sql(
    `UPDATE deliveries SET is_claimed = 0, next_at = ?, uncounted = uncounted + 1
     WHERE state = 'pending' AND is_claimed = 1`,
  ).run(now);
}

export function claimDeliveries(db: Database, request: DeliveryClaimRequest): DeliveryClaims {
  const { now, max, perHost } = request;
  const busyAt = (host: string): number => request.busy.get(host) ?? 0;
  // A host's first comes before another's second: one that hangs, and has much waiting, is served no sooner for it.
  const due = pendingHosts(db)
    .filter(({ host, nextAt }) => nextAt <= now && busyAt(host) < perHost)
    .flatMap(({ host }) =>
      dueRows(db, host, now, Math.min(max, perHost - busyAt(host))).map((row, index) => ({
        row,
        rank: busyAt(host) + index,
      })),
    )
    .toSorted((a, b) => a.rank - b.rank || a.row.next_at - b.row.next_at)
    .slice(0, max);
  const claims = due.flatMap(({ row }) => claimRow(db, row, now + request.leaseMs));
  // What is due already and was not taken waits for room, not for a time.
  const later = pendingHosts(db).filter(({ nextAt }) => nextAt > now);
  return { claims, ...(later.length === 0 ? {} : { nextAt: Math.min(...later.map(({ nextAt }) => nextAt)) }) };
}

/** The hosts that something is to be delivered to, found by one seek each, however much waits for them. */
function pendingHosts(db: Database): { host: string; nextAt: number }[] {
  const pending = "FROM deliveries INDEXED BY deliveries_due WHERE state = 'pending' AND host";
  const rows = db
    .sql(
      `WITH RECURSIVE hosts (host) AS (
         SELECT (SELECT min(host) ${pending} >= '')
         UNION ALL SELECT (SELECT min(host) ${pending} > hosts.host) FROM hosts WHERE hosts.host IS NOT NULL)
       SELECT host, (SELECT min(next_at) ${pending} = hosts.host) AS nextAt FROM hosts WHERE host IS NOT NULL`,
    )
    .all();
  return rows as { host: string; nextAt: number }[];
}

interface DueRow {
  job: number;
  seq: number;
  type: DeliveryType;
  host: string;
  job_state: string;
  attempts: number;
  uncounted: number;
  next_at: number;
}

function dueRows(db: Database, host: string, now: number, limit: number): DueRow[] {
  return db
    .sql(
      `SELECT job, seq, type, host, job_state, attempts, uncounted, next_at FROM deliveries INDEXED BY deliveries_due
       WHERE state = 'pending' AND host = ? AND next_at <= ? ORDER BY next_at LIMIT ?`,
    )
    .all(host, now, limit) as DueRow[];
}

function claimRow(db: Database, row: DueRow, leaseEndsAt: number): DeliveryClaim[] {
  const found = findByNumber(db, row.job);
  const webhook = db.sql("SELECT url, secret FROM webhooks WHERE job = ?").get(row.job) as
    | { url: string; secret: string | null }
    | undefined;
  if (found === undefined || webhook === undefined) return [];
  const attempt = row.attempts + 1;
  db.sql("UPDATE deliveries SET is_claimed = 1, attempts = ?, next_at = ? WHERE job = ? AND seq = ?").run(
    ...[attempt, leaseEndsAt, row.job, row.seq],
  );
  const state = JSON.parse(row.job_state) as JobState;
  return [
    {
      job: { ...found.job, state, lastSeq: row.seq },
      ...{ seq: row.seq, type: row.type, host: row.host, url: webhook.url },
      ...(webhook.secret === null ? {} : { secret: webhook.secret }),
      ...{ attempt, tries: attempt - row.uncounted },
    },
  ];
}
