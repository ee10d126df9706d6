import type { JobId } from "../../../job/id.ts";
import type { Connections } from "../database/connections.ts";
import type { Write } from "../writing/group-writes.ts";
import type { Unit } from "../writing/unit.ts";
import { entries, needsOf } from "./rows.ts";
import type { Tickets, TicketPlace } from "./tickets.ts";

/** So many queued jobs, and so many tickets, are looked at in one go. */
const lookedAtOnce = 1_000;

const restMs = 30_000;

interface QueuedRow {
  readonly id: JobId;
  readonly parked: boolean;
  readonly has_ticket: boolean;
}

export interface ReconcileParts {
  readonly connections: Connections;
  readonly write: Write;
  readonly tickets: Tickets;
}

/**
 * Sees to it that each job that may start has its ticket, that no other has one, and that whoever is parked has no room. The transactions
 * that change a job do so themselves; this makes up for what came in another way, such as jobs that were moved from another store.
 */
export class Reconciliation {
  readonly #parts: ReconcileParts;
  /** By a clock that nobody sets. */
  #beganAt = -Infinity;
  #afterJob: JobId | undefined;
  #afterTicket: TicketPlace | undefined;

  constructor(parts: ReconcileParts) {
    this.#parts = parts;
  }

  /** Looks at the next jobs and tickets; true when there are more. After the last it rests for a while. */
  async step(): Promise<boolean> {
    if (this.#afterJob === undefined && this.#afterTicket === undefined) {
      if (performance.now() - this.#beganAt < restMs) return false;
      this.#beganAt = performance.now();
    }
    const [hasMoreJobs, hasMoreTickets] = await Promise.all([this.#lookAtJobs(), this.#lookAtTickets()]);
    return hasMoreJobs || hasMoreTickets;
  }

  async #lookAtJobs(): Promise<boolean> {
    const { connections, tickets, write } = this.#parts;
    const rows = await connections.query<QueuedRow>(
      `SELECT s.id, s.parked, EXISTS (SELECT 1 FROM ${tickets.table} t WHERE t.id = s.id
           AND t.name = CASE s.place WHEN '' THEN s.kind ELSE s.kind || '/' || encode(convert_to(s.place, 'UTF8'), 'hex') END) AS has_ticket
       FROM longhaul.states s WHERE s.status = 'queued' AND s.ready AND ($1::uuid IS NULL OR s.id > $1)
       ORDER BY s.status, s.id LIMIT ${lookedAtOnce}`,
      [this.#afterJob ?? null],
    );
    const doubtful = rows.filter((row) => row.parked || !row.has_ticket).map(({ id }) => id);
    if (doubtful.length > 0) {
      await write((unit) => doubtful.forEach((id) => lookAnew(unit, id)), needsOf(...doubtful));
    }
    this.#afterJob = rows.length < lookedAtOnce ? undefined : rows.at(-1)?.id;
    return this.#afterJob !== undefined;
  }

  async #lookAtTickets(): Promise<boolean> {
    const { connections, tickets, write } = this.#parts;
    const places = await tickets.list(connections, this.#afterTicket, lookedAtOnce);
    const rows = await connections.query<{ id: JobId; fits: boolean }>(
      "SELECT id, ready AND NOT parked AS fits FROM longhaul.states WHERE id = ANY ($1::uuid[])",
      [places.map(({ id }) => id)],
    );
    const fitting = new Set(rows.filter(({ fits }) => fits).map(({ id }) => id));
    const doubtful = places.filter(({ id }) => !fitting.has(id));
    if (doubtful.length > 0) {
      const gone = await write(
        (unit) => doubtful.filter(({ id }) => !dropTicket(unit, id)),
        needsOf(...doubtful.map(({ id }) => id)),
      );
      for (const { queue, id } of gone) await tickets.remove(connections, queue, [id]);
    }
    this.#afterTicket = places.length < lookedAtOnce ? undefined : places.at(-1);
    return this.#afterTicket !== undefined;
  }
}

/** Under the lock of its row: as if it had no ticket, and had not been parked before. */
function lookAnew(unit: Unit, id: JobId): void {
  const found = unit.read(entries, id);
  if (found?.isReady === true) unit.assume(entries, id, { ...found, hadTicket: false, wasParked: false });
}

/** Under the lock of its row; false if the job is gone. */
function dropTicket(unit: Unit, id: JobId): boolean {
  const found = unit.read(entries, id);
  if (found === undefined) return false;
  const hasTicket = found.isReady && !found.isParked;
  if (!hasTicket) unit.assume(entries, id, { ...found, hadTicket: true });
  return true;
}
