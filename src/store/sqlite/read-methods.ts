import type { JobId } from "../../job/id.ts";
import type { NotifyFormat, NotifyTarget } from "../../job/notify.ts";
import type { StoredJob } from "../rules/change.ts";
import type { BatchPage, JobDraft, JobFilter, Payload, Store } from "../store.ts";
import type { Database } from "./database.ts";
import { listQuestions } from "./questions.ts";
import { pausedKinds, readQueued } from "./queued.ts";
import { findJob, jobColumns, readEvents, toFound, withSpec, type JobRow } from "./rows.ts";

type ReadVerb =
  | "get"
  | "payload"
  | "source"
  | "inputs"
  | "batches"
  | "idsEndingWith"
  | "tombstone"
  | "queued"
  | "read"
  | "lost"
  | "loadCheckpoint"
  | "questions"
  | "pausedKinds";

/** The verbs that change nothing; they are answered at once. */
export function readVerbs(db: Database): Pick<Store, ReadVerb> {
  // Every change of a job makes a new record of it, so what is kept with one is never out of date.
  const payloads = new WeakMap<StoredJob, Payload>();
  return {
    get: async (id) => findJob(db, id)?.job,
    payload: async (id) => {
      const found = findJob(db, id);
      const payload = found && (payloads.get(found) ?? readPayload(db, found));
      if (found !== undefined && payload !== undefined && isSmall(payload)) payloads.set(found, payload);
      return payload;
    },
    source: async (id) => readSource(db, id),
    inputs: async (ids) => readInputs(db, ids),
    batches: async (filter, page) => listBatches(db, filter, page),
    idsEndingWith: async (suffix, { owner, kinds }, limit) => {
      const rows = db
        .sql(
          `SELECT id FROM jobs WHERE id LIKE '%' || ?1 AND (?2 IS NULL OR owner = ?2)
             AND (?3 IS NULL OR kind IN (SELECT value FROM json_each(?3))) ORDER BY id DESC LIMIT ?4`,
        )
        .all(suffix.replace(/[^0-9a-f-]/g, "?"), owner ?? null, toJsonList(kinds), limit);
      return (rows as { id: JobId }[]).map(({ id }) => id);
    },
    tombstone: async (id) => {
      const row = db.sql("SELECT owner, purged_at FROM tombstones WHERE id = ?").get(id);
      if (row === undefined) return undefined;
      const { owner, purged_at: purgedAt } = row as { owner: string; purged_at: number };
      return { owner, purgedAt };
    },
    queued: async (id, request) => readQueued(db, id, request),
    read: async (id, after, limit) => readEvents(db, id, after, limit),
    lost: async ({ before, kinds, machine, limit }) =>
      db
        .sql(
          `SELECT ${jobColumns} FROM jobs j ${withSpec}
           WHERE j.status IN ('running', 'waiting') AND j.expires_at IS NULL AND j.lease_expires_at < ?1
             AND +j.kind IN (SELECT value FROM json_each(?2))
             AND (?3 IS NULL OR coalesce(j.state ->> '$.lease.machine', ?3) = ?3)
           ORDER BY j.lease_expires_at LIMIT ?4`,
        )
        .all(before, JSON.stringify(kinds), machine ?? null, limit)
        .map((row) => toFound(row as JobRow).job),
    loadCheckpoint: async (id) => {
      const row = db.sql("SELECT checkpoint FROM checkpoints WHERE job = (SELECT num FROM jobs WHERE id = ?)").get(id);
      return (row as { checkpoint: string } | undefined)?.checkpoint;
    },
    questions: async (id) => listQuestions(db, id),
    pausedKinds: async () => pausedKinds(db),
  };
}

function readPayload(db: Database, { num }: StoredJob): Payload {
  const row = db
    .sql(
      `SELECT coalesce(s.shown, s.input) AS input, r.result FROM specs s LEFT JOIN results r ON r.job = s.job
       WHERE s.job = ?`,
    )
    .get(num) as { input: string; result: string | null };
  return { input: row.input, ...(row.result === null ? {} : { result: row.result }) };
}

/** Longer ones are better read one by one. */
const maxListedInput = 4_000;

function readInputs(db: Database, ids: readonly JobId[]): Map<JobId, string> {
  const rows = db
    .sql(
      `SELECT j.id, coalesce(s.shown, s.input) AS input FROM json_each(?) w CROSS JOIN jobs j ON j.id = w.value
       ${withSpec} WHERE length(coalesce(s.shown, s.input)) <= ?`,
    )
    .all(JSON.stringify(ids), maxListedInput) as { id: JobId; input: string }[];
  return new Map(rows.map(({ id, input }) => [id, input]));
}

function readSource(db: Database, id: JobId): Pick<JobDraft, "input" | "client" | "webhook" | "notify"> | undefined {
  const spec = db
    .sql("SELECT s.job, s.input, s.client FROM jobs j JOIN specs s ON s.job = j.num WHERE j.id = ?")
    .get(id) as { job: number; input: string; client: string | null } | undefined;
  if (spec === undefined) return undefined;
  const receivers = db
    .sql("SELECT format, url, secret FROM receivers WHERE job = ? ORDER BY target")
    .all(spec.job) as unknown as { format: NotifyFormat | "webhook"; url: string; secret: string | null }[];
  const source: { input: string; client?: string; webhook?: JobDraft["webhook"]; notify: NotifyTarget[] } = {
    input: spec.input,
    notify: [],
  };
  if (spec.client !== null) source.client = spec.client;
  for (const { format, url, secret } of receivers) {
    if (format !== "webhook") source.notify.push({ format, url });
    else source.webhook = { url, ...(secret === null ? {} : { secret }) };
  }
  return source;
}

const maxKeptCharacters = 2_000;

function isSmall({ input, result = "" }: Payload): boolean {
  return input.length + result.length <= maxKeptCharacters;
}

/** From each name a jump along the index to the next, so that it does not matter how many jobs a batch has. */
function listBatches(
  db: Database,
  { owner, kinds }: Pick<JobFilter, "owner" | "kinds">,
  { after = "", limit }: BatchPage,
): string[] {
  const rows = db
    .sql(
      `WITH RECURSIVE names (batch) AS (
         SELECT min(batch) FROM jobs INDEXED BY jobs_batch WHERE batch > ?1
         UNION ALL
         SELECT (SELECT min(batch) FROM jobs INDEXED BY jobs_batch WHERE batch > names.batch)
         FROM names WHERE names.batch IS NOT NULL
       )
       SELECT batch FROM names
       WHERE batch IS NOT NULL AND (?2 IS NULL AND ?3 IS NULL OR EXISTS (
         SELECT 1 FROM jobs j WHERE j.batch = names.batch AND (?2 IS NULL OR +j.owner = ?2)
           AND (?3 IS NULL OR +j.kind IN (SELECT value FROM json_each(?3)))))
       LIMIT ?4`,
    )
    .all(after, owner ?? null, toJsonList(kinds), limit);
  return (rows as { batch: string }[]).map(({ batch }) => batch);
}

function toJsonList(values: readonly string[] | undefined): string | null {
  return values === undefined ? null : JSON.stringify(values);
}
