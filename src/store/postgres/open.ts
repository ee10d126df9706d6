import { join } from "node:path";
import { defined } from "../../job/defined.ts";
import type { Store } from "../store.ts";
import type { ConnectionOptions } from "./database/connections.ts";
import { openDatabase } from "./database/open-database.ts";
import { openTickets } from "./jobs/tickets.ts";
import { createMailStore } from "./mail.ts";
import { createPostgresOutput } from "./output/output-store.ts";
import { createJobVerbs } from "./postgres-store.ts";
import { openHints } from "./writing/hints.ts";

export interface PostgresOptions {
  readonly url: string;
  /** Leads to the database itself where `url` leads to a pooler, which forgets who listens. */
  readonly directUrl?: string;
  readonly schema?: string;
  /** Of the tickets; beside the other one unless given. */
  readonly bossSchema?: string;
  readonly tls?: ConnectionOptions["tls"];
  /** Servers bring the schema to their version; workers wait until one has. */
  readonly isServer?: boolean;
  /** How many connections at most, besides those for heartbeats and for listening. */
  readonly connections?: number;
  /** Where this machine keeps files. */
  readonly folder: string;
  /** Most bytes kept of one output stream. */
  readonly outputCapBytes?: number;
}

/** Opens the store, or makes it. A database that cannot be used is left as it is. */
export async function openPostgresStore(options: PostgresOptions): Promise<Store> {
  const {
    url,
    directUrl = url,
    schema = "longhaul",
    bossSchema = `${schema}_boss`,
    tls,
    isServer = true,
    folder,
    outputCapBytes = 16 * 1024 * 1024,
  } = options;
  const size = options.connections ?? (isServer ? 10 : 4);
  const connections = await openDatabase({ url, schema, size, migrates: isServer, ...defined({ tls }) });
  try {
    const tickets = await openTickets({ connections, schema: bossSchema, isServer });
    const hints = await openHints({ connections, url: directUrl, channel: schema });
    const { announce, publish, subscribe } = hints;
    const spool = { root: join(folder, "output"), capBytes: outputCapBytes };
    const output = createPostgresOutput({ ...spool, connections, publish, announce, subscribe });
    const verbs = createJobVerbs({ connections, tickets, hints, output });
    const close = async (): Promise<void> => {
      await output.close();
      await verbs.close();
    };
    return { ...verbs, mail: createMailStore(connections, announce), close };
  } catch (error) {
    await connections.close();
    throw error;
  }
}
