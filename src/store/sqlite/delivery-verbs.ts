import { defined } from "../../job/defined.ts";
import { LonghaulError } from "../../job/error.ts";
import type { JobId } from "../../job/id.ts";
import type { Delivery, DeliveryClaim, DeliveryFilter, DeliveryPage, DeliveryResult } from "../delivery.ts";
import type { PageRequest, Store } from "../store.ts";
import { claimDeliveries, freeClaims } from "./claim-deliveries.ts";
import type { Database, Write } from "./database.ts";
import { findJob } from "./rows.ts";

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
  const isReleased = result.state === "released";
  const { changes } = db
    .sql(
      `UPDATE deliveries SET state = ?1, is_claimed = 0, next_at = ?2, delivered_at = ?3, uncounted = uncounted + ?4,
         last_status = iif(?4, last_status, ?5), last_error = iif(?4, last_error, ?6)
       WHERE job = ?7 AND seq = ?8 AND attempts = ?9 AND is_claimed = 1`,
    )
    .run(
      isReleased ? "pending" : result.state,
      "nextAt" in result ? result.nextAt : null,
      result.state === "delivered" ? result.at : null,
      isReleased ? 1 : 0,
      ("status" in result ? result.status : undefined) ?? null,
      "error" in result ? result.error : null,
      ...[num, claim.seq, claim.attempt],
    );
  if (Number(changes) === 0) return false;
  if (result.state === "gone") endWebhook(db, num);
  return true;
}

/** The receiver wants no more of this job: neither what is still on its way nor what is to come. */
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
  const [beforeJob, beforeSeq] = readCursor(cursor);
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
      ...[beforeJob, beforeSeq, filter.state ?? null, num ?? null, filter.owner ?? null, limit + 1],
      filter.kinds === undefined ? null : JSON.stringify(filter.kinds),
    ) as DeliveryRow[];
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  return {
    deliveries: shown.map(toDelivery),
    ...(last === undefined ? {} : { cursor: `${last.job}-${last.seq}` }),
  };
}

function toDelivery(row: DeliveryRow): Delivery {
  const { seq, type, url, state, attempts } = row;
  return {
    ...{ jobId: row.id as JobId, seq, type, url, state, attempts, createdAt: row.created_at },
    ...defined({
      nextAt: row.next_at ?? undefined,
      deliveredAt: row.delivered_at ?? undefined,
      lastStatus: row.last_status ?? undefined,
      lastError: row.last_error ?? undefined,
    }),
  };
}

function readCursor(cursor: string | undefined): [number, number] {
  if (cursor === undefined) return [Number.MAX_SAFE_INTEGER, 0];
  const [, job, seq] = /^(\d{1,15})-(\d{1,15})$/.exec(cursor) ?? [];
  if (job !== undefined && seq !== undefined) return [Number(job), Number(seq)];
  throw new LonghaulError("invalid_input", `The cursor "${cursor}" is not one that a list returned.`);
}
