import type { Writable } from "node:stream";
import type { Client, Pool, PoolClient } from "pg";
import { LonghaulError } from "../../../job/error.ts";
import { loadDriver } from "./driver.ts";
import { inSchema } from "./migrate.ts";
import { toTlsOptions } from "../tls.ts";
import { toStorageError, type DatabasePlace } from "./storage-error.ts";

export type SqlValue = null | number | string | boolean | Uint8Array | readonly (null | number | string | boolean)[];

/** One connection on which statements are sent without waiting for the answers of those before. */
export interface Session {
  readonly query: <Row>(sql: string, values?: readonly SqlValue[]) => Promise<Row[]>;
}

/** The ways to the database. Every error that comes from them is one sentence already. */
export interface Connections extends Session {
  readonly place: DatabasePlace;
  /** Lends a session to nobody else meanwhile. One that threw is not used again. */
  readonly withSession: <T>(run: (session: Session) => Promise<T>) => Promise<T>;
  /** As `query`, on a connection that nothing else waits for or holds up. */
  readonly beat: Session["query"];
  /** A connection of its own, to be closed by the caller. */
  readonly connect: (url: string) => Promise<Client>;
  readonly close: () => Promise<void>;
}

export interface ConnectionOptions {
  readonly url: string;
  readonly schema: string;
  /** How many connections at most, besides those for heartbeats and for listening. */
  readonly size: number;
  /** Encrypted, and with whom is checked: by the usual certificates, or those in this file. */
  readonly tls?: { readonly caFile?: string };
}

const connectMs = 5_000;
const statementMs = 60_000;

/**
 * Plans must not depend on statistics, which are stale just when a queue fills or drains: the statements are written for their
 * indexes. A process that is stopped in the middle of a transaction must not hold its locks for long.
 */
const settings = `
  SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off;
  SET enable_sort = off; SET enable_bitmapscan = off; SET jit = off; SET statement_timeout = ${statementMs}; SET idle_in_transaction_session_timeout = 5000`;

/** Numbers beyond 2^53 do not occur, so 64-bit integers are numbers. */
const int8 = 20;

export async function openConnections({ url, schema, size, tls }: ConnectionOptions): Promise<Connections> {
  const pg = await loadDriver();
  const place = toPlace(url);
  const types = {
    getTypeParser: (oid: number, format?: "text") => (oid === int8 ? Number : pg.types.getTypeParser(oid, format)),
  };
  const options = {
    connectionString: url,
    application_name: "longhaul",
    connectionTimeoutMillis: connectMs,
    keepAlive: true,
    types: types as never,
    ...(tls === undefined ? {} : { ssl: toTlsOptions(tls, place.host) }),
  };
  const openPool = (max: number): Pool => {
    const pool = new pg.Pool({ ...options, max, pipeline: true });
    pool.on("connect", (client) => void client.query(settings).catch(() => undefined));
    // An idle connection that is cut is replaced when it is needed.
    pool.on("error", () => undefined);
    return pool;
  };
  const [requests, beats] = [openPool(size), openPool(1)];
  let closing: Promise<unknown> | undefined;
  const translate = (error: unknown): never => {
    if (closing === undefined || error instanceof LonghaulError) throw toStorageError(error, place);
    throw new LonghaulError("stopped", "The store is closed.");
  };
  const prepare = prepared(schema);
  const queryOn = (client: Pool | PoolClient, gather = (): void => undefined): Session["query"] =>
    async function query<Row>(sql: string, values?: readonly SqlValue[]): Promise<Row[]> {
      gather();
      const result = await client.query(
        values === undefined ? inSchema(sql, schema) : { ...prepare(sql), values: values as unknown[] },
      );
      // A statement failed that nobody waited for.
      if (sql === "COMMIT" && result.command !== "COMMIT") throw new Error("The transaction was rolled back.");
      return result.rows as Row[];
    };
  return {
    place,
    query: (sql, values) => queryOn(requests)<never>(sql, values).catch(translate),
    beat: (sql, values) => queryOn(beats)<never>(sql, values).catch(translate),
    withSession: async (run) => {
      const client = await requests.connect().catch(translate);
      try {
        const result = await run({ query: queryInTransaction(queryOn(client, gatherPackets(client))) });
        client.release();
        return result;
      } catch (error) {
        // Behind all that was sent before, so that whoever has the connection next begins with nothing.
        await client.query("ROLLBACK").then(
          () => client.release(),
          () => client.release(true),
        );
        return translate(error);
      }
    },
    connect: async (to) => {
      const client = new pg.Client({ ...options, connectionString: to });
      client.on("error", () => undefined);
      await client.connect().catch(translate);
      return client;
    },
    close: async () => {
      closing ??= Promise.all([requests.end(), beats.end()]);
      await closing;
    },
  };
}

/** Of statements that are sent at once the first to fail makes all others fail: only who waits for one need hear of it. */
function queryInTransaction(query: Session["query"]): Session["query"] {
  return (sql, values) => {
    const answer = query<never>(sql, values);
    answer.catch(() => undefined);
    return answer;
  };
}

/** What is sent in one turn goes out in one packet: each would otherwise cost a call of the system. */
function gatherPackets(client: PoolClient): () => void {
  const { stream } = (client as PoolClient & { readonly connection: { readonly stream: Writable } }).connection;
  let isGathering = false;
  return () => {
    if (isGathering) return;
    isGathering = true;
    stream.cork();
    setImmediate(() => {
      isGathering = false;
      stream.uncork();
    });
  };
}

/** Each connection keeps what was prepared on it. */
const maxPrepared = 500;

/** Statements are prepared under a name, once per connection; of those that are made for what is asked, the first. */
function prepared(schema: string): (sql: string) => { name?: string; text: string } {
  const known = new Map<string, { name: string; text: string }>();
  return (sql) => {
    const statement = known.get(sql);
    if (statement !== undefined) return statement;
    const text = inSchema(sql, schema);
    if (known.size >= maxPrepared) return { text };
    const added = { name: `longhaul_${known.size}`, text };
    known.set(sql, added);
    return added;
  };
}

export function toPlace(url: string): DatabasePlace {
  try {
    const { host, pathname, username, searchParams } = new URL(url);
    const user = decodeURIComponent(username) || "postgres";
    return {
      host: host || (searchParams.get("host") ?? "localhost"),
      database: decodeURIComponent(pathname.slice(1)) || user,
      user,
    };
  } catch (error) {
    throw new LonghaulError(
      "invalid_input",
      "The address of the store must be like postgres://user:password@host:5432/database.",
      { cause: error },
    );
  }
}
