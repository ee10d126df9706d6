import { EventEmitter, once } from "node:events";
import type { Db, PgBoss } from "pg-boss";
import { setTimeout as delay } from "node:timers/promises";
import { LonghaulError } from "../../../job/error.ts";
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
  /**
   * Takes the first tickets of each want that nobody else is taking, which are gone when the transaction is committed. The jobs that they
   * are of are then those of `takenIds`. Takes none of paused kinds, of those with a rate that is not named, nor any while a job is due
   * that is not ready yet.
   */
  readonly take: (session: Session, wants: readonly TicketWant[], now: number) => Promise<TakenFacts>;
  /** In the order of their queues and ids. */
  readonly list: (session: Session, after: TicketPlace | undefined, limit: number) => Promise<TicketPlace[]>;
  /** Where they are: each has the id of its job, and its queue as name. */
  readonly table: string;
  readonly close: () => Promise<void>;
}

export interface TicketPlace {
  readonly queue: string;
  readonly id: JobId;
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

export interface TicketWant {
  readonly kind: string;
  readonly queue: string;
  readonly max: number;
  /** Its starts were counted. */
  readonly isCounted: boolean;
}

interface TakenRow {
  readonly taken: string;
  readonly kinds: string[] | null;
  readonly next: number | null;
  readonly limits: Record<string, string> | null;
}

export interface TakenFacts {
  readonly isAny: boolean;
  /** Of which jobs may start. */
  readonly kinds: ReadonlySet<string>;
  /** When the next delayed job becomes ready. */
  readonly nextDelay: number;
  /** The limits of the wanted kinds, as texts. */
  readonly limits: Readonly<Record<string, string>>;
}

/** Within the transaction, so that what was taken is read without a way to the database in between. */
export const takenIds = "(string_to_array(current_setting('longhaul.taken'), ',')::uuid[])";

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
  await startBoss(boss, { connections, schema, isServer });
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
    take: async ({ query }, wants, now) => {
      const [row] = await query<TakenRow>(takeTickets.replaceAll("boss.", `"${schema}".`), [
        wants.map(({ kind }) => kind),
        wants.map(({ queue }) => queue),
        wants.map(({ max }) => max),
        wants.map(({ isCounted }) => isCounted),
        now,
      ]);
      return {
        isAny: row?.taken !== "",
        kinds: new Set(row?.kinds),
        nextDelay: row?.next ?? Infinity,
        limits: row?.limits ?? {},
      };
    },
    list: ({ query }, after, limit) =>
      query(listTickets.replaceAll("boss.", `"${schema}".`), [after?.queue ?? "", after?.id ?? lowestId, limit]),
    table: `"${schema}".job`,
    close: () => boss.stop({ graceful: false, close: false }),
  };
}

/**
 * Not by way of pg-boss, which would first write them anew: nobody ever has one without deleting it. Each is deleted where it was found:
 * by name and id the planner may look through all tickets, if it has seen the table while it was empty.
 */
const takeTickets = `WITH delay AS (
    SELECT (SELECT run_at FROM longhaul.states WHERE status = 'queued' AND NOT ready AND blocked = 0
      ORDER BY run_at LIMIT 1) AS next),
  wanted AS (SELECT w.* FROM unnest($1::text[], $2::text[], $3::integer[], $4::boolean[]) AS w (kind, queue, most, is_counted), delay
    WHERE coalesce(delay.next > $5::bigint, true)
      AND NOT EXISTS (SELECT 1 FROM longhaul.paused_kinds p WHERE p.kind = w.kind)
      AND (w.is_counted OR NOT EXISTS (SELECT 1 FROM longhaul.limits l WHERE l.kind = w.kind AND l.is_rated))),
  first AS (SELECT t.place FROM wanted CROSS JOIN LATERAL (
    SELECT j.ctid AS place FROM boss.job_common j WHERE j.name = wanted.queue AND j.state < 'active' AND NOT j.blocked
    ORDER BY j.priority DESC, j.created_on LIMIT wanted.most FOR UPDATE OF j SKIP LOCKED) AS t),
  taken AS (DELETE FROM boss.job_common j WHERE j.ctid = ANY (ARRAY(SELECT place FROM first)) RETURNING j.id)
  SELECT set_config('longhaul.taken', coalesce((SELECT string_agg(id::text, ',') FROM taken), ''), true) AS taken, delay.next,
    (SELECT array_agg(wanted.kind) FROM wanted) AS kinds,
    (SELECT json_object_agg(l.kind, l.limits) FROM longhaul.limits l WHERE l.kind = ANY ($1::text[])) AS limits
  FROM delay`;

const lowestId = "00000000-0000-0000-0000-000000000000";
const listTickets = `SELECT name AS queue, id FROM boss.job WHERE (name, id) > ($1, $2::uuid) AND state < 'active'
  ORDER BY name, id LIMIT $3`;
const waitForSchemaMs = 60_000;

/** Two servers that start at once would both make the schema, which pg-boss cannot bear; a worker may be there before any of them. */
async function startBoss(boss: PgBoss, { connections, schema, isServer }: TicketOptions): Promise<void> {
  if (!isServer) {
    await waitForSchema(connections, schema);
    await boss.start();
    return;
  }
  await connections.withSession(async ({ query }) => {
    const lock = ["longhaul tickets", schema];
    await query("SELECT pg_advisory_lock(hashtext($1), hashtext($2))", lock);
    try {
      await boss.start();
    } finally {
      await query("SELECT pg_advisory_unlock(hashtext($1), hashtext($2))", lock);
    }
  });
}

async function waitForSchema({ query }: Connections, schema: string): Promise<void> {
  for (const until = performance.now() + waitForSchemaMs; ; await delay(250)) {
    const [found] = await query<{ made: boolean }>("SELECT to_regclass($1) IS NOT NULL AS made", [
      `"${schema}".version`,
    ]);
    if (found?.made === true) return;
    if (performance.now() < until) continue;
    throw new LonghaulError(
      "unavailable",
      `The schema "${schema}" is not there, and workers do not make it: start "longhaul serve" of the same version.`,
    );
  }
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
