import type { RecordedChange, StoredJob } from "../rules/change.ts";
import type { JobDraft } from "../store.ts";
import type { Database } from "./database.ts";

/** The webhook is receiver 0; those who are notified count from 1. */
export function insertReceivers(db: Database, num: number, { webhook, notify = [] }: JobDraft): void {
  const receivers = [webhook && { format: "webhook" as const, ...webhook }, ...notify];
  for (const [target, receiver] of receivers.entries()) {
    if (receiver === undefined) continue;
    const { format, url } = receiver;
    const secret = "secret" in receiver ? receiver.secret : undefined;
    db.sql("INSERT INTO receivers (job, target, format, url, host, secret) VALUES (?, ?, ?, ?, ?, ?)").run(
      num,
      target,
      format,
      url,
      new URL(url).host || format,
      secret ?? null,
    );
  }
}

/** With the state that each tells of: the job may have gone on by then. */
export function insertDeliveries(
  db: Database,
  { num, job }: StoredJob,
  deliveries: RecordedChange["deliveries"],
  now: number,
): void {
  for (const { seq, target, type } of deliveries) {
    const { changes } = db
      .sql(
        `INSERT INTO deliveries (job, seq, target, type, host, job_state, state, next_at, created_at)
         SELECT job, ?2, target, ?4, host, ?5, 'pending', ?6, ?6 FROM receivers WHERE job = ?1 AND target = ?3 AND is_gone = 0`,
      )
      .run(num, seq, target, type, JSON.stringify(job.state), now);
    if (Number(changes) > 0) db.hint({ type: "delivery-due" });
  }
}
