import type { Database } from "./database.ts";

/**
 * Fairness between owners: each job of a kind gets a turn, an owner's second queued job one turn after the first,
 * so somebody with one job does not wait behind somebody else's thousand. (Start-time fair queueing.)
 */
export class Turns {
  readonly #lastByOwner = new Map<string, number>();
  readonly #current = new Map<string, number>();

  /** Goes on from the turns of the jobs that are queued in the file. */
  static load(db: Pick<Database, "sql">): Turns {
    const turns = new Turns();
    const rows = db
      .sql(
        "SELECT kind, owner, min(turn) AS first, max(turn) AS last FROM jobs WHERE status = 'queued' GROUP BY kind, owner",
      )
      .all() as { kind: string; owner: string; first: number; last: number }[];
    for (const { kind, owner, first, last } of rows) {
      turns.#lastByOwner.set(ownerKey(kind, owner), last);
      turns.#current.set(kind, Math.min(turns.#current.get(kind) ?? Infinity, first));
    }
    return turns;
  }

  next(kind: string, owner: string): number {
    const key = ownerKey(kind, owner);
    const turn = Math.max((this.#lastByOwner.get(key) ?? 0) + 1, this.#current.get(kind) ?? 0);
    this.#lastByOwner.set(key, turn);
    return turn;
  }

  /** Told with every claim: a newcomer's first turn is the one being served now. */
  served(kind: string, turn: number): void {
    if (turn > (this.#current.get(kind) ?? 0)) this.#current.set(kind, turn);
  }
}

function ownerKey(kind: string, owner: string): string {
  return `${kind}\n${owner}`;
}
