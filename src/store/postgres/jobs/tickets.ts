import type { IDatabase, PgBoss } from "pg-boss";
import type { JobId } from "../../../job/id.ts";
import type { Connections, Session } from "../database/connections.ts";
import { loadPeer } from "../database/driver.ts";

/** A job that may start has one ticket: in the queue of its kind, or of its kind and place. Nothing else knows of pg-boss. */
export interface Tickets {
  /** Queues have to be there before tickets are put into them. */
  readonly prepare: (queues: Iterable<string>) => Promise<void>;
  readonly put: (session: Session, queue: string, tickets: readonly Ticket[]) => Promise<unknown>;
  readonly remove: (session: Session, queue: string, ids: readonly JobId[]) => Promise<unknown>;
  /** Takes the first tickets that nobody else is taking; they are gone when the transaction is committed. */
  readonly take: (session: Session, queue: string, max: number) => Promise<JobId[]>;
  readonly close: () => Promise<void>;
}

export interface Ticket {
  readonly id: JobId;
  readonly priority: number;
  readonly turn: number;
}

export interface TicketOptions {
  readonly connections: Connections;
  readonly schema: string;
  /** Brings the schema of the tickets to its version, and keeps its tables in order. */
  readonly isServer: boolean;
}

const tenYears = 10 * 365 * 24 * 3_600;
const turnsPerPriority = 2 ** 20;

export async function openTickets({ connections, schema, isServer }: TicketOptions): Promise<Tickets> {
  const { PgBoss: Boss } = await loadPeer("pg-boss", () => import("pg-boss"));
  const boss: PgBoss = new Boss({
    db: toDatabase(connections),
    schema,
    schedule: false,
    supervise: isServer,
    migrate: isServer,
    createSchema: isServer,
  });
  // What its upkeep could not do it does the next time.
  boss.on("error", () => undefined);
  await boss.start();
  const known = new Map<string, Promise<void>>();
  const prepareOne = async (queue: string): Promise<void> => {
    await boss.createQueue(queue, { retentionSeconds: tenYears });
  };
  return {
    prepare: async (queues) => {
      for (const queue of queues) {
        const preparing = known.get(queue) ?? prepareOne(queue);
        known.set(queue, preparing);
        await preparing.catch((error: unknown) => {
          known.delete(queue);
          throw error;
        });
      }
    },
    put: (session, queue, tickets) =>
      boss.insert(queue, tickets.map(toBossJob), { db: toDatabase(session) }),
    remove: (session, queue, ids) => boss.deleteJob(queue, [...ids], { db: toDatabase(session) }),
    take: async (session, queue, max) => {
      const db = toDatabase(session);
      const taken = await boss.fetch(queue, { batchSize: max, ignoreStartAfter: true, db });
      return taken.map(({ id }) => id as JobId);
    },
    close: () => boss.stop({ graceful: false, close: false }),
  };
}

/** The names of queues allow few characters. A kind has others than a place, so the two cannot be confused. */
export function toQueue(kind: string, place?: string): string {
  return place === undefined ? kind : `${kind}/${Buffer.from(place).toString("hex")}`;
}

/** Higher priorities first, and among the same earlier turns. */
function toBossJob({ id, priority, turn }: Ticket): { id: string; priority: number } {
  return { id, priority: priority * turnsPerPriority - Math.min(turn, turnsPerPriority - 1) };
}

function toDatabase({ query }: Session): IDatabase {
  return {
    executeSql: async (sql, values) => ({ rows: await query(sql, (values as never) ?? undefined) }),
  };
}
