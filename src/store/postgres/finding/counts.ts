import type { Job } from "../../../job/job.ts";
import type { JobStatus } from "../../../job/state.ts";
import type { JobFilter, StatusCount } from "../../store.ts";
import type { Connections } from "../database/connections.ts";
import { entries, type Entry } from "../jobs/rows.ts";
import type { Lookup, SetStatement, Unit } from "../writing/unit.ts";

/**
 * How the numbers of jobs change is added as rows, which are summed up later: a row that every transaction changes would make all servers
 * wait for each other. Numbers are kept for all jobs of an owner (batch ""), and for those of each batch.
 */
const insertChanges: SetStatement = {
  order: 20,
  sql: `INSERT INTO longhaul.count_changes (batch, owner, kind, status, change)
    SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bigint[])`,
};

type Counted = Pick<Job, "owner" | "kind" | "batch">;

/** Writes how a transaction changes the numbers, when all is decided. */
export function writeCountChanges(unit: Unit): void {
  for (const entry of unit.assumed(entries).values()) if (entry !== undefined) writeMove(unit, entry);
}

/** Of a job that is in another state than before. */
export function writeMove(unit: Unit, { before, stored }: Pick<Entry, "before" | "stored">): void {
  const { status } = stored.job.state;
  if (before === status) return;
  if (before !== undefined) change(unit, stored.job, before, -1);
  change(unit, stored.job, status, 1);
}

function change(unit: Unit, { batch = "", owner, kind }: Counted, status: JobStatus, by: number): void {
  for (const each of new Set(["", batch])) {
    const row = [each, owner, kind, status];
    const key = JSON.stringify(row);
    const sum = (unit.peek(changes, key) ?? 0) + by;
    unit.assume(changes, key, sum);
    unit.write(insertChanges, [...row, sum], key);
  }
}

/** What the transaction adds so far. */
const changes: Lookup<number> = { name: "change of count", order: 0, load: async () => new Map() };

export async function countJobs(
  { query }: Connections,
  { owner, kinds, batch = "" }: Pick<JobFilter, "owner" | "kinds" | "batch">,
): Promise<StatusCount[]> {
  return query<StatusCount>(
    `SELECT kind, status, sum(n)::bigint AS count FROM (
       SELECT owner, kind, status, count AS n FROM longhaul.job_counts WHERE batch = $1
       UNION ALL SELECT owner, kind, status, change FROM longhaul.count_changes WHERE batch = $1) AS kept
     WHERE ($2::text IS NULL OR owner = $2) AND ($3::text[] IS NULL OR kind = ANY ($3::text[]))
     GROUP BY kind, status HAVING sum(n) <> 0`,
    [batch, owner ?? null, kinds ?? null],
  );
}

const summedAtOnce = 10_000;

/** Adds up changes; true when more may be left. */
export async function sumUpChanges({ query }: Connections): Promise<boolean> {
  const rows = await query<{ taken: number }>(
    `WITH taken AS (DELETE FROM longhaul.count_changes WHERE ctid = ANY (ARRAY(
         SELECT ctid FROM longhaul.count_changes LIMIT ${summedAtOnce} FOR UPDATE SKIP LOCKED)) RETURNING *),
       summed AS (INSERT INTO longhaul.job_counts AS c (batch, owner, kind, status, count)
         SELECT batch, owner, kind, status, sum(change) FROM taken GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
         ON CONFLICT (batch, owner, kind, status) DO UPDATE SET count = c.count + excluded.count)
     SELECT count(*) AS taken FROM taken`,
    [],
  );
  await query("DELETE FROM longhaul.job_counts WHERE count = 0", []);
  return rows[0]?.taken === summedAtOnce;
}
