import type { RecordedChange, StoredJob } from "../rules/change.ts";
import type { JobDraft } from "../store.ts";
import type { Database } from "./database.ts";

export function insertWebhook(db: Database, num: number, { url, secret }: NonNullable<JobDraft["webhook"]>): void {
  db.sql("INSERT INTO webhooks (job, url, host, secret) VALUES (?, ?, ?, ?)").run(
    num,
    url,
    new URL(url).host,
    secret ?? null,
  );
}

/** With the state that each tells of: the job may have gone on by then. */
export function insertDeliveries(
  db: Database,
  { num, job }: StoredJob,
  deliveries: RecordedChange["deliveries"],
  now: number,
): void {
  for (const { seq, type } of deliveries) {
    const { changes } = db
      .sql(
        `INSERT INTO deliveries (job, seq, type, host, job_state, state, next_at, created_at)
         SELECT job, ?2, ?3, host, ?4, 'pending', ?5, ?5 FROM webhooks WHERE job = ?1 AND is_gone = 0`,
      )
      .run(num, seq, type, JSON.stringify(job.state), now);
    if (Number(changes) > 0) db.hint({ type: "delivery-due" });
  }
}
