import type { Database } from "./database.ts";

/** Jobs whose time has not come: knows when the next one's does, so that claims in between need not look. */
export class Delays {
  #nextAt = 0;

  /** When the next delayed job becomes ready, if there is one. */
  get nextAt(): number | undefined {
    return this.#nextAt === Infinity ? undefined : this.#nextAt;
  }

  /** A job was queued for this time. */
  note(runAt: number): void {
    if (runAt < this.#nextAt) this.#nextAt = runAt;
  }

  /** After writes were undone: the next promotion looks again. */
  forget(): void {
    this.#nextAt = 0;
  }

  /** Makes the jobs ready whose time has come. */
  promote(db: Database, now: number): void {
    if (now < this.#nextAt) return;
    const rows = db
      .sql(
        `SELECT num, kind, owner, priority, place FROM jobs
         WHERE status = 'queued' AND ready = 0 AND blocked = 0 AND run_at <= ? ORDER BY run_at, num`,
      )
      .all(now) as { num: number; kind: string; owner: string; priority: number; place: string | null }[];
    for (const row of rows) {
      db.sql("UPDATE jobs SET ready = 1, turn = ? WHERE num = ?").run(db.turns.next(db, row), row.num);
    }
    const next = db
      .sql("SELECT min(run_at) AS next FROM jobs WHERE status = 'queued' AND ready = 0 AND blocked = 0")
      .get() as { next: number | null };
    this.#nextAt = next.next ?? Infinity;
  }
}
