import type { Job } from "../../job/job.ts";
import type { JobStatus } from "../../job/state.ts";
import type { StoredJob } from "../rules/change.ts";
import type { JobFilter, StatusCount } from "../store.ts";
import type { Database } from "./database.ts";

type Sql = Database["sql"];

/** What a number of jobs is kept for: all jobs of an owner (batch ""), and those of each batch. */
interface Place {
  readonly batch: string;
  readonly owner: string;
  readonly kind: string;
  readonly status: string;
}

type Counted = Pick<Job, "owner" | "kind" | "batch">;

/**
 * How the numbers of jobs change in the transaction that is being made. They are written once at its end, because a row that every
 * job changes would cost each of them as much as its own. Jobs that were there before numbers were kept are counted later (`catchUp`).
 */
export class CountChanges {
  #changes = new Map<string, { readonly place: Place; by: number }>();
  /** Jobs after the first of these numbers, up to the second, are not counted yet. */
  #doneTo: number;
  readonly #until: number;

  constructor(sql: Sql) {
    const row = sql("SELECT done_to, until FROM catch_up").get() as { done_to: number; until: number };
    this.#doneTo = row.done_to;
    this.#until = row.until;
  }

  get isComplete(): boolean {
    return this.#doneTo >= this.#until;
  }

  add({ num, job }: { readonly num: number; readonly job: Counted }, status: JobStatus, by = 1): void {
    if (num > this.#until || num <= this.#doneTo) this.#note(job, status, by);
  }

  /** The job, as it was before, is in another state now. */
  move(before: StoredJob, status: JobStatus): void {
    if (before.job.state.status === status) return;
    this.add(before, before.job.state.status, -1);
    this.add(before, status);
  }

  /** Counts the next jobs of before; true when more are left. */
  catchUp(sql: Sql, limit: number): boolean {
    const last = sql(
      "SELECT max(num) AS num FROM (SELECT num FROM jobs WHERE num > ?1 AND num <= ?2 ORDER BY num LIMIT ?3)",
    );
    const { num } = last.get(this.#doneTo, this.#until, limit) as { num: number | null };
    const to = num ?? this.#until;
    const rows = sql(
      `SELECT owner, kind, coalesce(batch, '') AS batch, status, count(*) AS count FROM jobs NOT INDEXED
       WHERE num > ? AND num <= ? GROUP BY 1, 2, 3, 4`,
    ).all(this.#doneTo, to) as (Place & { count: number })[];
    for (const { count, ...job } of rows) this.#note(job, job.status, count);
    sql(
      `INSERT INTO ends (owner, kind, status, at, wait_ms, run_ms)
       SELECT owner, kind, status, state ->> '$.finishedAt',
         CASE WHEN state ->> '$.attempt' = 1 THEN max(0, state ->> '$.startedAt' - created_at) END,
         max(0, state ->> '$.finishedAt' - state ->> '$.startedAt')
       FROM jobs NOT INDEXED WHERE num > ? AND num <= ? AND expires_at IS NOT NULL AND finished_at IS NULL`,
    ).run(this.#doneTo, to);
    sql(
      "UPDATE jobs SET finished_at = state ->> '$.finishedAt' WHERE num > ? AND num <= ? AND +expires_at IS NOT NULL",
    ).run(this.#doneTo, to);
    sql("UPDATE catch_up SET done_to = ?").run(to);
    this.#doneTo = to;
    return !this.isComplete;
  }

  write(sql: Sql): void {
    for (const { place, by } of this.#changes.values()) {
      if (by === 0) continue;
      const { batch, owner, kind, status } = place;
      sql(
        `INSERT INTO job_counts (batch, owner, kind, status, count) VALUES (?, ?, ?, ?, ?)
         ON CONFLICT DO UPDATE SET count = count + excluded.count`,
      ).run(batch, owner, kind, status, by);
      if (by > 0) continue;
      sql("DELETE FROM job_counts WHERE batch = ? AND owner = ? AND kind = ? AND status = ? AND count = 0").run(
        batch,
        owner,
        kind,
        status,
      );
    }
    this.#changes.clear();
  }

  /** Returns how to get back to where it is now. */
  save(): () => void {
    const doneTo = this.#doneTo;
    const changes = [...this.#changes].map(([key, change]) => [key, { ...change }] as const);
    return () => {
      this.#doneTo = doneTo;
      this.#changes = new Map(changes);
    };
  }

  #note({ batch = "", owner, kind }: Counted, status: string, by: number): void {
    for (const each of batch === "" ? [""] : ["", batch]) {
      const key = `${each}\n${owner}\n${kind}\n${status}`;
      const known = this.#changes.get(key);
      if (known === undefined) this.#changes.set(key, { place: { batch: each, owner, kind, status }, by });
      else known.by += by;
    }
  }
}

/** How many jobs of each kind are in each state, of all jobs or of a batch. */
export function countJobs(
  db: Database,
  { owner, kinds, batch = "" }: Pick<JobFilter, "owner" | "kinds" | "batch">,
): StatusCount[] {
  const counts = db
    .sql(
      `SELECT kind, status, sum(count) AS count FROM job_counts WHERE batch = ?1 AND (?2 IS NULL OR owner = ?2)
       GROUP BY kind, status`,
    )
    .all(batch, owner ?? null)
    .map((row) => ({ ...(row as StatusCount) }));
  return kinds === undefined ? counts : counts.filter(({ kind }) => kinds.includes(kind));
}
