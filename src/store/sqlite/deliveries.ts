import type { Change } from "../../job/transitions.ts";
import { toDeliveryType, type ShownWebhook } from "../../job/webhook.ts";
import type { JobDraft } from "../store.ts";
import type { Database } from "./database.ts";
import type { Found } from "./rows.ts";

export function insertWebhook(db: Database, num: number, { url, secret }: NonNullable<JobDraft["webhook"]>): void {
  db.sql("INSERT INTO webhooks (job, url, host, secret) VALUES (?, ?, ?, ?)").run(
    ...[num, url, new URL(url).host, secret ?? null],
  );
}

/** Records what the webhook tells of a change, with the state that it tells of: the job may have gone on by then. */
export function recordDeliveries(db: Database, found: Found, shown: ShownWebhook, change: Change, now: number): void {
  change.events.forEach((event, index) => {
    const type = toDeliveryType(event, shown);
    if (type === undefined) return;
    const { changes } = db
      .sql(
        `INSERT INTO deliveries (job, seq, type, host, job_state, state, next_at, created_at)
         SELECT job, ?2, ?3, host, ?4, 'pending', ?5, ?5 FROM webhooks WHERE job = ?1 AND is_gone = 0`,
      )
      .run(found.num, found.job.lastSeq + index + 1, type, JSON.stringify(change.state), now);
    if (Number(changes) > 0) db.hint({ type: "delivery-due" });
  });
}
