import type { JobEvent } from "../../../job/event.ts";
import type { JobId } from "../../../job/id.ts";
import type { NotifyFormat, NotifyTarget } from "../../../job/notify.ts";
import type { Change } from "../../../job/transitions.ts";
import type { BatchPage, JobDraft, JobFilter, Store } from "../../store.ts";
import type { Connections } from "../database/connections.ts";
import { toAsked, type QuestionRow } from "../jobs/questions.ts";
import { fromEach, jobColumns, toStored, type JobRow } from "../jobs/rows.ts";
import { groupReads } from "./group-reads.ts";
import { readQueued } from "./queued.ts";

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

/** Longer ones are better read one by one. */
const maxListedInput = 4_000;

const selectJob = `SELECT ${jobColumns} FROM longhaul.states s JOIN longhaul.jobs j USING (id)`;

/** The verbs that change nothing. */
export function readVerbs({ query }: Connections): Pick<Store, ReadVerb> {
  return {
    get: groupReads(async (ids: readonly JobId[]) => {
      const rows = await query<JobRow>(`SELECT ${jobColumns} ${fromEach("unnest($1::uuid[])")}`, [ids]);
      return new Map(rows.map((row) => [row.id, toStored(row).job]));
    }),
    payload: async (id) => {
      const [row] = await query<{ input: string; result: string | null }>(
        `SELECT coalesce(j.shown, j.input) AS input, r.result FROM longhaul.jobs j LEFT JOIN longhaul.results r ON r.job = j.id WHERE j.id = $1`,
        [id],
      );
      if (row === undefined) return undefined;
      return { input: row.input, ...(row.result === null ? {} : { result: row.result }) };
    },
    source: (id) => readSource(query, id),
    inputs: async (ids) => {
      const rows = await query<{ id: JobId; input: string }>(
        `SELECT id, coalesce(shown, input) AS input FROM longhaul.jobs
         WHERE id = ANY ($1::uuid[]) AND length(coalesce(shown, input)) <= ${maxListedInput}`,
        [ids],
      );
      return new Map(rows.map(({ id, input }) => [id, input]));
    },
    batches: (filter, page) => listBatches(query, filter, page),
    idsEndingWith: async (suffix, { owner, kinds }, limit) => {
      const rows = await query<{ id: JobId }>(
        `SELECT id FROM longhaul.jobs WHERE right(id::text, length($1)) = $1 AND ($2::text IS NULL OR owner = $2)
           AND ($3::text[] IS NULL OR kind = ANY ($3::text[])) ORDER BY id DESC LIMIT $4`,
        [suffix.replaceAll("\0", "?"), owner ?? null, kinds ?? null, limit],
      );
      return rows.map(({ id }) => id);
    },
    tombstone: async (id) => {
      const [row] = await query<{ owner: string; purged_at: number }>(
        "SELECT owner, purged_at FROM longhaul.tombstones WHERE id = $1",
        [id],
      );
      return row === undefined ? undefined : { owner: row.owner, purgedAt: row.purged_at };
    },
    queued: (id, request) => readQueued({ query }, id, request),
    read: (id, after, limit) => readEvents(query, id, after, limit),
    lost: async ({ before, kinds, machine, limit }) => {
      const rows = await query<JobRow>(
        `${selectJob} WHERE s.status IN ('running', 'waiting') AND s.lease_expires_at < $1 AND s.kind = ANY ($2::text[])
           AND ($3::text IS NULL OR coalesce(s.machine, $3) = $3)
         ORDER BY s.lease_expires_at LIMIT $4`,
        [Math.min(before, Number.MAX_SAFE_INTEGER), kinds, machine ?? null, limit],
      );
      return rows.map((row) => toStored(row).job);
    },
    loadCheckpoint: async (id) => {
      const [row] = await query<{ checkpoint: string }>("SELECT checkpoint FROM longhaul.checkpoints WHERE job = $1", [
        id,
      ]);
      return row?.checkpoint;
    },
    questions: async (id) => {
      const rows = await query<QuestionRow>("SELECT * FROM longhaul.questions WHERE job = $1 ORDER BY asked_at, key", [
        id,
      ]);
      return rows.map(toAsked);
    },
    pausedKinds: async () => {
      const rows = await query<{ kind: string }>("SELECT kind FROM longhaul.paused_kinds ORDER BY kind", []);
      return rows.map(({ kind }) => kind);
    },
  };
}

type Query = Connections["query"];

async function readEvents(query: Query, id: JobId, after: number, limit: number): Promise<JobEvent[]> {
  const rows = await query<{ seq: number; at: number; body: string }>(
    "SELECT seq, at, body FROM longhaul.events WHERE job = $1 AND seq > $2 ORDER BY seq LIMIT $3",
    [id, after, limit],
  );
  return rows.map(({ seq, at, body }) => ({ jobId: id, seq, at, ...(JSON.parse(body) as Change["events"][number]) }));
}

async function readSource(
  query: Query,
  id: JobId,
): Promise<Pick<JobDraft, "input" | "client" | "webhook" | "notify"> | undefined> {
  const [[spec], receivers] = await Promise.all([
    query<{ input: string; client: string | null }>("SELECT input, client FROM longhaul.jobs WHERE id = $1", [id]),
    query<{ format: NotifyFormat | "webhook"; url: string; secret: string | null }>(
      "SELECT format, url, secret FROM longhaul.receivers WHERE job = $1 ORDER BY target",
      [id],
    ),
  ]);
  if (spec === undefined) return undefined;
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

/** From each name a jump along the index to the next, so that it does not matter how many jobs a batch has. */
async function listBatches(
  query: Query,
  { owner, kinds }: Pick<JobFilter, "owner" | "kinds">,
  { after = "", limit }: BatchPage,
): Promise<string[]> {
  const rows = await query<{ batch: string }>(
    `WITH RECURSIVE names (batch) AS (
       (SELECT batch FROM longhaul.jobs WHERE batch > $1 ORDER BY batch LIMIT 1)
       UNION ALL
       SELECT (SELECT j.batch FROM longhaul.jobs j WHERE j.batch > names.batch ORDER BY j.batch LIMIT 1)
       FROM names WHERE names.batch IS NOT NULL
     )
     SELECT batch FROM names
     WHERE batch IS NOT NULL AND ($2::text IS NULL AND $3::text[] IS NULL OR EXISTS (
       SELECT 1 FROM longhaul.jobs j WHERE j.batch = names.batch AND ($2::text IS NULL OR j.owner = $2)
         AND ($3::text[] IS NULL OR j.kind = ANY ($3::text[]))))
     LIMIT $4`,
    [after, owner ?? null, kinds ?? null, limit],
  );
  return rows.map(({ batch }) => batch);
}
