import { join, resolve } from "node:path";
import type { PostgresConfig } from "../config/store.ts";
import { defined } from "../job/defined.ts";
import type { DatabaseFacts } from "../store/postgres/inspect.ts";
import { openSqliteStore } from "../store/sqlite/open.ts";
import type { Store } from "../store/store.ts";

export interface StoreChoice {
  /** The folder with the embedded database, or with what waits to be written to the shared one. */
  readonly home: string;
  /** Most bytes kept of one output stream of one attempt. */
  readonly outputCapBytes?: number;
  /** A database that machines share. */
  readonly postgres?: PostgresConfig;
  /** A worker has fewer connections, and leaves the database's upkeep to servers. */
  readonly role?: "server" | "worker";
}

/** The one place where a store is chosen. */
export async function openStore({ home, outputCapBytes, postgres, role }: StoreChoice): Promise<Store> {
  const options = defined({ outputCapBytes });
  if (postgres !== undefined) {
    const { url, schema, bossSchema, directUrl, pool: connections, tls } = postgres;
    // Its driver is an optional package.
    const { openPostgresStore } = await import("../store/postgres/open.ts");
    const given = defined({ directUrl, connections, tls });
    return openPostgresStore({
      ...options,
      ...given,
      url,
      schema,
      bossSchema,
      folder: resolve(home),
      isServer: role !== "worker",
    });
  }
  return openSqliteStore({ file: join(resolve(home), "longhaul.db"), ...options });
}

/** Looks at the shared database and changes nothing. Its driver is loaded only now: it is an optional package. */
export async function inspectPostgres({ url, directUrl, schema, tls }: PostgresConfig): Promise<DatabaseFacts> {
  const { inspectDatabase } = await import("../store/postgres/inspect.ts");
  return inspectDatabase({ url, schema, ...defined({ directUrl, tls }) });
}
