import type { JobId } from "../../../job/id.ts";
import type { Job } from "../../../job/job.ts";
import type { RecordedChange } from "../../rules/change.ts";
import type { JobDraft } from "../../store.ts";
import type { SetStatement, Unit } from "../writing/unit.ts";

const insertReceiver: SetStatement = {
  order: 15,
  sql: `INSERT INTO longhaul.receivers (job, target, format, url, host, secret)
    SELECT * FROM unnest($1::uuid[], $2::integer[], $3::text[], $4::text[], $5::text[], $6::text[])`,
};

/** The webhook is receiver 0; those who are notified count from 1. */
export function writeReceivers(unit: Unit, id: JobId, { webhook, notify = [] }: JobDraft): void {
  const receivers = [webhook && { format: "webhook" as const, ...webhook }, ...notify];
  for (const [target, receiver] of receivers.entries()) {
    if (receiver === undefined) continue;
    const { format, url } = receiver;
    const secret = "secret" in receiver ? receiver.secret : undefined;
    unit.write(insertReceiver, [id, target, format, url, new URL(url).host || format, secret ?? null]);
  }
}

/** The share keeps a receiver from ending meanwhile: whoever ends it ends this delivery too. */
const insertDeliveries: SetStatement = {
  order: 25,
  sql: `INSERT INTO longhaul.deliveries (job, seq, target, type, host, job_state, state, next_at, created_at)
    SELECT n.job, n.seq, n.target, n.type, r.host, n.job_state, 'pending', n.at, n.at
    FROM unnest($1::uuid[], $2::bigint[], $3::integer[], $4::text[], $5::text[], $6::bigint[])
      AS n (job, seq, target, type, job_state, at)
    JOIN longhaul.receivers r ON r.job = n.job AND r.target = n.target AND NOT r.is_gone
    ORDER BY n.job, n.target FOR SHARE OF r`,
};

/** With the state that each tells of: the job may have gone on by then. */
export function writeDeliveries(
  unit: Unit,
  { id, state }: Job,
  deliveries: RecordedChange["deliveries"],
  now: number,
): void {
  for (const { seq, target, type } of deliveries) {
    unit.write(insertDeliveries, [id, seq, target, type, JSON.stringify(state), now]);
  }
  if (deliveries.length > 0) unit.hint({ type: "delivery-due" });
}
