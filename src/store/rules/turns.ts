/**
 * Fairness between owners: each ready job of a kind and priority has a turn, an owner's second one turn after the
 * first, so somebody with one job does not wait behind somebody else's thousand. (Start-time fair queueing.)
 *
 * The turn of a job that becomes ready comes one after the last of its owner's that are ready, but not before the one
 * that is being served.
 */
export function nextTurn(ownersLast: number | undefined, served: number): number {
  return Math.max((ownersLast ?? 0) + 1, served);
}

/** Remembers the turn that is being served; until the first claim after a restart it is the first that waits. */
export class ServedTurns {
  readonly #served = new Map<string, number>();

  get(kind: string, priority: number): number | undefined {
    return this.#served.get(toKey(kind, priority));
  }

  /** Told with every claim; never goes back. */
  note(kind: string, priority: number, turn: number): void {
    const key = toKey(kind, priority);
    this.#served.set(key, Math.max(turn, this.#served.get(key) ?? 0));
  }
}

/** What decides when a job is claimed. */
export interface ReadyJob {
  readonly priority: number;
  readonly turn: number;
  readonly num: number;
}

/** The first of the ready jobs: highest priority first, then by turn, then oldest first. */
export function firstInOrder<Ready extends ReadyJob>(ready: readonly Ready[], max: number): Ready[] {
  return ready.toSorted((a, b) => b.priority - a.priority || a.turn - b.turn || a.num - b.num).slice(0, max);
}

function toKey(kind: string, priority: number): string {
  return `${kind} ${priority}`;
}
