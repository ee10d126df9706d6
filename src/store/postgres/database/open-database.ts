import { setTimeout as delay } from "node:timers/promises";
import { LonghaulError } from "../../../job/error.ts";
import { openConnections, type ConnectionOptions, type Connections } from "./connections.ts";
import { migrate, readVersion, refuseNewer, type RunScript } from "./migrate.ts";
import { migrations } from "./schema.ts";

export interface DatabaseOptions extends ConnectionOptions {
  /** Brings the schema to this version; else somebody else does, and is waited for. */
  readonly migrates: boolean;
}

const oldestMajor = 14;
const waitForSchemaMs = 60_000;

/** Opens the database and sees to its schema. A refusal changes nothing. */
export async function openDatabase({ migrates, ...options }: DatabaseOptions): Promise<Connections> {
  checkSchemaName(options.schema);
  const connections = await openConnections(options);
  try {
    await checkVersion(connections);
    if (migrates)
      await connections.withSession((session) => migrate((script) => session.query(script), options.schema));
    else await waitForSchema((script) => connections.query(script), options.schema);
    return connections;
  } catch (error) {
    await connections.close();
    throw error;
  }
}

/** It is written into statements. */
function checkSchemaName(schema: string): void {
  if (/^[a-z_][a-z0-9_]{0,40}$/.test(schema) && !schema.startsWith("pg_")) return;
  throw new LonghaulError(
    "invalid_input",
    `The schema of the store must be at most 41 small letters, digits and "_", and not begin with a digit or "pg_", got "${schema}".`,
  );
}

async function checkVersion({ query, place }: Connections): Promise<void> {
  const [row] = await query<{ server_version: string }>("SHOW server_version");
  refuseOld(row?.server_version ?? "", place.host);
}

export function refuseOld(version: string, host: string): void {
  if (Number.parseInt(version, 10) >= oldestMajor) return;
  throw new LonghaulError(
    "storage_failed",
    `Postgres at ${host} is version ${version}, and the store needs ${oldestMajor} or later: update it, or use another server.`,
  );
}

/** A worker that starts before the first server, or is updated before it. */
async function waitForSchema(run: RunScript, schema: string): Promise<void> {
  const until = performance.now() + waitForSchemaMs;
  for (;;) {
    const version = (await readVersion(run, schema)) ?? 0;
    refuseNewer(version, schema);
    if (version === migrations.length) return;
    if (performance.now() > until) {
      throw new LonghaulError(
        "unavailable",
        `The schema "${schema}" is not of this version yet, and workers do not make it: start "longhaul serve" of the same version.`,
      );
    }
    await delay(500);
  }
}
