import { nextTurn, ServedTurns } from "../rules/turns.ts";
import type { Database } from "./database.ts";

/** Reads what the turns of jobs follow from. */
export class Turns {
  readonly #served = new ServedTurns();

  /** The turn of a job that becomes ready. */
  next(db: Database, kind: string, owner: string, priority: number): number {
    const row = db
      .sql(
        `SELECT max(turn) AS last FROM jobs INDEXED BY jobs_turns
         WHERE kind = ? AND owner = ? AND priority = ? AND ready = 1`,
      )
      .get(kind, owner, priority) as { last: number | null };
    return nextTurn(row.last ?? undefined, this.#served.get(kind, priority) ?? this.#readFirst(db, kind, priority));
  }

  /** Told with every claim. */
  served(kind: string, priority: number, turn: number): void {
    this.#served.note(kind, priority, turn);
  }

  #readFirst(db: Database, kind: string, priority: number): number {
    const row = db
      .sql("SELECT min(turn) AS first FROM jobs INDEXED BY jobs_ready WHERE kind = ? AND priority = ? AND ready = 1")
      .get(kind, priority) as { first: number | null };
    const first = row.first ?? 0;
    this.#served.note(kind, priority, first);
    return first;
  }
}
