import { LonghaulError } from "../../job/error.ts";
import type { JobId } from "../../job/id.ts";
import type { Job, JobSpec } from "../../job/job.ts";
import { isTerminal } from "../../job/state.ts";
import { submitted } from "../../job/transitions.ts";
import type { Created, JobDraft } from "../store.ts";
import type { Database } from "./database.ts";
import { insertWebhook } from "./deliveries.ts";
import { appendEvents, findByNumber, findJob, stateColumns, toSpecText, toStateValues, type Found } from "./rows.ts";

export function createJobs(db: Database, drafts: readonly JobDraft[]): Created[] {
  // A later draft may depend on one whose job was there before: it then depends on that job.
  const existing = new Map<JobId, JobId>();
  return drafts.map((draft) => {
    const duplicate = findDuplicate(db, draft);
    if (duplicate === undefined) return insertJob(db, withDependencies(draft, existing));
    existing.set(draft.spec.id, duplicate.job.id);
    return duplicate;
  });
}

function withDependencies(draft: JobDraft, existing: ReadonlyMap<JobId, JobId>): JobDraft {
  const dependsOn = [...new Set(draft.spec.dependsOn.map((id) => existing.get(id) ?? id))];
  return { ...draft, spec: { ...draft.spec, dependsOn } };
}

function findDuplicate(db: Database, draft: JobDraft): Created | undefined {
  const { owner, idempotencyKey, kind } = draft.spec;
  if (idempotencyKey === undefined) return undefined;
  const row = db
    .sql(
      `SELECT j.num, s.input FROM jobs j JOIN specs s ON s.job = j.num
       WHERE j.owner = ? AND j.idempotency_key = ?`,
    )
    .get(owner, idempotencyKey) as { num: number; input: string } | undefined;
  const found = row === undefined ? undefined : findByNumber(db, row.num);
  if (row === undefined || found === undefined) return undefined;
  if (found.job.kind !== kind || row.input !== draft.input) {
    throw new LonghaulError(
      "conflict",
      `The idempotency key "${idempotencyKey}" belongs to job ${found.job.id}, which has another kind or input. Use a new key for new work.`,
      { details: { job: found.job.id } },
    );
  }
  return { job: found.job, isDuplicate: true };
}

const insertColumns = [
  ...["id", "kind", "owner", "name", "batch", "parent", "slot_key", "priority", "turn", "idempotency_key"],
  ...["created_at", "blocked", "fence", "seq", ...stateColumns],
];
const insert = `INSERT INTO jobs (${insertColumns.join(", ")}) VALUES (${insertColumns.map(() => "?").join(", ")})`;

function insertJob(db: Database, draft: JobDraft): Created {
  const { spec, input } = draft;
  const needs = spec.dependsOn.map((id) => requireDependency(db, id, spec.owner));
  const blocked = needs.filter(({ job }) => job.state.status !== "succeeded").length;
  const { state, events } = submitted(spec, draft.runAt, draft.by);
  const isReady = blocked === 0 && draft.runAt <= spec.createdAt;
  const turn = isReady ? db.turns.next(db, spec.kind, spec.owner, spec.priority) : 0;
  const { lastInsertRowid } = db
    .sql(insert)
    .run(
      ...[spec.id, spec.kind, spec.owner, spec.name ?? null, spec.batch ?? null, spec.parent ?? null],
      ...[spec.key ?? null, spec.priority, turn, spec.idempotencyKey ?? null],
      ...[spec.createdAt, blocked, 0, events.length],
      ...toStateValues(state, blocked, spec.createdAt),
    );
  const num = Number(lastInsertRowid);
  db.sql("INSERT INTO specs (job, spec, input, shown) VALUES (?, ?, ?, ?)").run(
    ...[num, toSpecText(spec), input, draft.shownInput ?? null],
  );
  appendEvents(db, num, 0, events, spec.createdAt);
  insertLinks(db, num, spec, needs);
  if (draft.webhook !== undefined) insertWebhook(db, num, draft.webhook);
  if (draft.runAt > spec.createdAt) db.delays.note(draft.runAt);
  const job: Job = { ...spec, state, lastSeq: events.length };
  db.jobs.set({ num, job, fence: 0, blocked });
  db.hint({ type: "job-changed", id: job.id, seq: job.lastSeq, status: "queued" });
  db.hint({ type: "job-ready" });
  return { job, isDuplicate: false };
}

function insertLinks(db: Database, num: number, spec: JobSpec, needs: readonly Found[]): void {
  for (const tag of spec.tags) db.sql("INSERT OR IGNORE INTO tags (tag, job) VALUES (?, ?)").run(tag, num);
  for (const { num: needed } of needs) {
    db.sql("INSERT OR IGNORE INTO dependencies (job, needs) VALUES (?, ?)").run(num, needed);
    db.needed.add(needed);
  }
}

function requireDependency(db: Database, id: JobId, owner: string): Found {
  const found = findJob(db, id);
  // Somebody else's job looks as if there were none.
  if (found === undefined || found.job.owner !== owner) {
    throw new LonghaulError("not_found", `There is no job ${id} to depend on.`, { details: { job: id } });
  }
  const { state } = found.job;
  if (isTerminal(state) && state.status !== "succeeded") {
    throw new LonghaulError(
      "conflict",
      `Job ${id} ended as ${state.status}, so nothing can run after its success. Retry it first.`,
      { details: { job: id } },
    );
  }
  return found;
}

/** How many dependencies of a job are still to succeed; refuses when one never will. */
export function countBlocking(db: Database, job: Job): number {
  return job.dependsOn
    .map((id) => requireDependency(db, id, job.owner))
    .filter((needed) => needed.job.state.status !== "succeeded").length;
}
