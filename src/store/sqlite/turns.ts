import { nextTurn, ServedTurns } from "../rules/turns.ts";
import type { Database } from "./database.ts";

interface QueuedJob {
  readonly kind: string;
  readonly owner: string;
  readonly priority: number;
  readonly place?: string | null;
}

/** Reads what the turns of jobs follow from. */
export class Turns {
  readonly #served = new ServedTurns();

  /** The turn of a job that becomes ready. Those that wait for one place do not hold up their owner's others. */
  next(db: Database, { kind, owner, priority, place }: QueuedJob): number {
    const row = db
      .sql(
        `SELECT max(turn) AS last FROM jobs INDEXED BY jobs_turns
         WHERE kind = ? AND place IS ? AND owner = ? AND priority = ? AND ready = 1`,
      )
      .get(kind, place ?? null, owner, priority) as { last: number | null };
    return nextTurn(row.last ?? undefined, this.#served.get(kind, priority) ?? this.#readFirst(db, kind, priority));
  }

  /** Told with every claim. */
  served(kind: string, priority: number, turn: number): void {
    this.#served.note(kind, priority, turn);
  }

  #readFirst(db: Database, kind: string, priority: number): number {
    const row = db
      .sql(
        `SELECT min(turn) AS first FROM jobs INDEXED BY jobs_ready
         WHERE kind = ? AND place IS NULL AND priority = ? AND ready = 1`,
      )
      .get(kind, priority) as { first: number | null };
    const first = row.first ?? 0;
    this.#served.note(kind, priority, first);
    return first;
  }
}
