import type { Client } from "pg";
import { openConnections, type ConnectionOptions, type Connections } from "./database/connections.ts";
import { loadPeer } from "./database/driver.ts";
import { readVersion, refuseNewer } from "./database/migrate.ts";
import { refuseOld } from "./database/open-database.ts";
import { migrations } from "./database/schema.ts";

export interface InspectOptions extends Omit<ConnectionOptions, "size"> {
  /** Past a PgBouncer, for LISTEN. */
  readonly directUrl?: string;
}

export interface DatabaseFacts {
  readonly host: string;
  readonly database: string;
  readonly version: string;
  /** Undefined while the schema is not made. */
  readonly schemaVersion: number | undefined;
  readonly newestSchema: number;
  readonly isEncrypted: boolean;
  readonly isOnThisMachine: boolean;
  /** Whether what one connection tells is heard on another. */
  readonly isListening: boolean;
  readonly mayCreateSchema: boolean;
}

/** Looks at a database and changes nothing; rejects with what is wrong with it. */
export async function inspectDatabase({ directUrl, ...options }: InspectOptions): Promise<DatabaseFacts> {
  await loadPeer("pg-boss", () => import("pg-boss"));
  const connections = await openConnections({ ...options, size: 2 });
  try {
    const [server] = await connections.query<ServerRow>(aboutServer);
    const { place } = connections;
    refuseOld(server?.version ?? "", place.host);
    const schemaVersion = await readVersion((script) => connections.query(script), options.schema);
    if (schemaVersion !== undefined) refuseNewer(schemaVersion, options.schema);
    return {
      host: place.host,
      database: place.database,
      version: server?.version ?? "",
      schemaVersion,
      newestSchema: migrations.length,
      isEncrypted: options.tls !== undefined,
      isOnThisMachine: /^(localhost|127\.[\d.]+|\[::1\])(:\d+)?$/.test(place.host) || place.host.startsWith("/"),
      isListening: await hears(connections, directUrl ?? options.url),
      mayCreateSchema: server?.may_create === true,
    };
  } finally {
    await connections.close();
  }
}

interface ServerRow {
  readonly version: string;
  readonly may_create: boolean;
}

const aboutServer = `SELECT current_setting('server_version') AS version,
  has_database_privilege(current_database(), 'CREATE') AS may_create`;

const patienceMs = 2_000;

/** Behind a PgBouncer in transaction mode LISTEN is taken, but nothing comes of it. */
async function hears(connections: Connections, url: string): Promise<boolean> {
  const channel = `longhaul_doctor_${process.pid}`;
  const client = await connections.connect(url);
  try {
    await client.query(`LISTEN ${channel}`);
    const heard = hearsOnce(client);
    await connections.query(`NOTIFY ${channel}`);
    return await heard;
  } finally {
    await client.end();
  }
}

function hearsOnce(client: Client): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), patienceMs);
    client.once("notification", () => {
      clearTimeout(timer);
      resolve(true);
    });
  });
}
