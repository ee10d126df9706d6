import type { Database } from "./database.ts";

/**
 * Fairness between owners: each ready job of a kind and priority has a turn, an owner's second one turn after the
 * first, so somebody with one job does not wait behind somebody else's thousand. (Start-time fair queueing.)
 */
export class Turns {
  readonly #served = new Map<string, number>();

  /** The turn of a job that becomes ready: one after its owner's last, but not before the one that is being served. */
  next(db: Database, kind: string, owner: string, priority: number): number {
    const row = db
      .sql(
        `SELECT max(turn) AS last FROM jobs INDEXED BY jobs_turns
         WHERE kind = ? AND owner = ? AND priority = ? AND ready = 1`,
      )
      .get(kind, owner, priority) as { last: number | null };
    return Math.max((row.last ?? 0) + 1, this.#current(db, kind, priority));
  }

  /** Told with every claim. */
  served(kind: string, priority: number, turn: number): void {
    const key = `${kind} ${priority}`;
    if (turn > (this.#served.get(key) ?? 0)) this.#served.set(key, turn);
  }

  /** After a restart it is the first turn that waits. */
  #current(db: Database, kind: string, priority: number): number {
    const key = `${kind} ${priority}`;
    const known = this.#served.get(key);
    if (known !== undefined) return known;
    const row = db
      .sql("SELECT min(turn) AS first FROM jobs INDEXED BY jobs_ready WHERE kind = ? AND priority = ? AND ready = 1")
      .get(kind, priority) as { first: number | null };
    const current = row.first ?? 0;
    this.#served.set(key, current);
    return current;
  }
}
