import { join } from "node:path";
import { createOutputFiles } from "../files/output-files.ts";
import type { Store } from "../store.ts";
import { openDatabase } from "./database/open-database.ts";
import { openTickets } from "./jobs/tickets.ts";
import { createJobVerbs } from "./postgres-store.ts";
import { openHints } from "./writing/hints.ts";

export interface PostgresOptions {
  readonly url: string;
  /** Leads to the database itself where `url` leads to a pooler, which forgets who listens. */
  readonly directUrl?: string;
  /** The tickets have a schema beside it. */
  readonly schema?: string;
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
    isServer = true,
    folder,
    outputCapBytes = 16 * 1024 * 1024,
  } = options;
  const size = options.connections ?? (isServer ? 10 : 4);
  const connections = await openDatabase({ url, schema, size, migrates: isServer });
  try {
    const tickets = await openTickets({ connections, schema: `${schema}_boss`, isServer });
    const hints = await openHints({ connections, url: directUrl, channel: schema });
    const output = createOutputFiles(join(folder, "output"), {
      capBytes: outputCapBytes,
      onGrown: (id) => hints.publish([{ type: "output-grown", id }]),
    });
    return createJobVerbs({ connections, tickets, hints, output }) as Store;
  } catch (error) {
    await connections.close();
    throw error;
  }
}
