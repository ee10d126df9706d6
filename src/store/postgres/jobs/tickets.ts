import { EventEmitter, once } from "node:events";
import type { Db, PgBoss } from "pg-boss";
import type { JobId } from "../../../job/id.ts";
import type { Connections, Session } from "../database/connections.ts";
import { loadPeer } from "../database/driver.ts";

/** A job that may start has one ticket: in the queue of its kind, or of its kind and place. Nothing else knows of pg-boss. */
export interface Tickets {
  /** Queues have to be there before tickets are put into them. */
  readonly prepare: (queues: Iterable<string>) => Promise<void>;
  readonly put: (session: Session, queue: string, tickets: readonly Ticket[]) => Issued;
  /** One that a claim has taken already is left to it: it finds that the job cannot start. */
  readonly remove: (session: Session, queue: string, ids: readonly JobId[]) => Promise<unknown>;
  /** Takes the first tickets that nobody else is taking; they are gone when the transaction is committed. */
  readonly take: (session: Session, queue: string, max: number) => Promise<JobId[]>;
  readonly close: () => Promise<void>;
}

/** A statement that goes through pg-boss, which sends it a little later. */
export interface Issued {
  readonly sent: Promise<unknown>;
  readonly done: Promise<unknown>;
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
    put: (session, queue, tickets) => issue(session, (db) => boss.insert(queue, tickets.map(toBossJob), { db })),
    remove: ({ query }, queue, ids) => query(removeTickets.replaceAll("boss.", `"${schema}".`), [queue, ids]),
    take: async (session, queue, max) => {
      const db = toDatabase(session);
      const taken = await boss.fetch(queue, { batchSize: max, ignoreStartAfter: true, db });
      const ids = taken.map(({ id }) => id as JobId);
      // Nobody waits for it: where it fails the transaction cannot be committed.
      if (ids.length > 0) void boss.deleteJob(queue, ids, { db }).catch(() => undefined);
      return ids;
    },
    close: () => boss.stop({ graceful: false, close: false }),
  };
}

/** Not by way of pg-boss, which waits for whoever has it locked, while that one may wait for the job. */
const removeTickets = `DELETE FROM boss.job WHERE name = $1 AND id IN
  (SELECT id FROM boss.job WHERE name = $1 AND id = ANY ($2::uuid[]) FOR UPDATE SKIP LOCKED)`;

/** The names of queues allow few characters. A kind has others than a place, so the two cannot be confused. */
export function toQueue(kind: string, place?: string): string {
  return place === undefined ? kind : `${kind}/${Buffer.from(place).toString("hex")}`;
}

/** Higher priorities first, and among the same earlier turns. */
function toBossJob({ id, priority, turn }: Ticket): { id: string; priority: number } {
  return { id, priority: priority * turnsPerPriority - Math.min(turn, turnsPerPriority - 1) };
}

function issue(session: Session, run: (db: Db) => Promise<unknown>): Issued {
  const database = toDatabase(session);
  const sending = new EventEmitter();
  const sent = once(sending, "sent");
  const done = run({
    executeSql: (sql, values) => {
      const answer = database.executeSql(sql, values);
      sending.emit("sent");
      return answer;
    },
  });
  return { sent: Promise.race([sent, done]), done };
}

function toDatabase({ query }: Session): Db {
  return {
    executeSql: async (sql, values) => ({ rows: await query(sql, (values as never) ?? undefined) }),
  };
}
