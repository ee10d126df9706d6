import type { JobId } from "../../job/id.ts";
import type { JobSpec } from "../../job/job.ts";
import type { StoredJob } from "../rules/change.ts";
import { toDuplicate, toNewJob, withKnownDependencies } from "../rules/create.ts";
import { requireDependency } from "../rules/dependencies.ts";
import type { Created, JobDraft } from "../store.ts";
import type { Database } from "./database.ts";
import { insertReceivers } from "./deliveries.ts";
import { appendEvents, findByNumber, findJob, stateColumns, toSpecText, toStateValues } from "./rows.ts";

export function createJobs(db: Database, drafts: readonly JobDraft[]): Created[] {
  const known = new Map<JobId, JobId>();
  return drafts.map((draft) => {
    const duplicate = findDuplicate(db, draft);
    if (duplicate === undefined) return insertJob(db, withKnownDependencies(draft, known));
    known.set(draft.spec.id, duplicate.job.id);
    return duplicate;
  });
}

function findDuplicate(db: Database, draft: JobDraft): Created | undefined {
  const { owner, idempotencyKey } = draft.spec;
  if (idempotencyKey === undefined) return undefined;
  const row = db
    .sql(
      `SELECT j.num, s.input FROM jobs j JOIN specs s ON s.job = j.num
       WHERE j.owner = ? AND j.idempotency_key = ?`,
    )
    .get(owner, idempotencyKey) as { num: number; input: string } | undefined;
  const found = row === undefined ? undefined : findByNumber(db, row.num);
  return row === undefined || found === undefined ? undefined : toDuplicate(draft, { ...row, job: found.job });
}

const insertColumns = [
  "id",
  "kind",
  "owner",
  "name",
  "batch",
  "parent",
  "slot_key",
  "priority",
  "turn",
  "idempotency_key",
  "created_at",
  "blocked",
  "fence",
  "seq",
  "schedule",
  "place",
  ...stateColumns,
];
const insert = `INSERT INTO jobs (${insertColumns.join(", ")}) VALUES (${insertColumns.map(() => "?").join(", ")})`;

function insertJob(db: Database, draft: JobDraft): Created {
  const { spec } = draft;
  const needs = findDependencies(db, spec);
  const { job, blocked, searched, events, hints } = toNewJob(
    draft,
    needs.map((needed) => needed.job),
  );
  const turn = searched.isReady ? db.turns.next(db, spec) : 0;
  const { lastInsertRowid } = db
    .sql(insert)
    .run(
      spec.id,
      spec.kind,
      spec.owner,
      spec.name ?? null,
      spec.batch ?? null,
      spec.parent ?? null,
      spec.key ?? null,
      spec.priority,
      turn,
      spec.idempotencyKey ?? null,
      spec.createdAt,
      blocked,
      0,
      job.lastSeq,
      spec.schedule?.id ?? null,
      spec.place ?? null,
      ...toStateValues(job.state, searched),
    );
  const num = Number(lastInsertRowid);
  db.sql("INSERT INTO specs (job, spec, input, shown, client) VALUES (?, ?, ?, ?, ?)").run(
    num,
    toSpecText(spec),
    draft.input,
    draft.shownInput ?? null,
    draft.client ?? null,
  );
  appendEvents(db, num, events, spec.createdAt);
  insertLinks(db, num, spec, needs);
  if (draft.webhook !== undefined || draft.notify !== undefined) insertReceivers(db, num, draft);
  if (draft.runAt > spec.createdAt) db.delays.note(draft.runAt);
  if (spec.place !== undefined) db.places.add(spec.place);
  db.jobs.set({ num, job, fence: 0, blocked });
  db.counts.add({ num, job }, job.state.status);
  for (const hint of hints) db.hint(hint);
  return { job, isDuplicate: false };
}

/** The jobs that a job depends on; refuses when one can never be met. */
export function findDependencies(db: Database, { dependsOn, owner }: JobSpec): StoredJob[] {
  return dependsOn.map((id) => requireDependency(findJob(db, id), id, owner));
}

function insertLinks(db: Database, num: number, spec: JobSpec, needs: readonly StoredJob[]): void {
  for (const tag of spec.tags) db.sql("INSERT OR IGNORE INTO tags (tag, job) VALUES (?, ?)").run(tag, num);
  for (const { num: needed } of needs) {
    db.sql("INSERT OR IGNORE INTO dependencies (job, needs) VALUES (?, ?)").run(num, needed);
    db.needed.add(needed);
  }
}
