import { messageOf } from "../../../job/failure.ts";
import { LonghaulError } from "../../../job/error.ts";
import type { CliContext, DatabaseReport } from "../cli-context.ts";
import { bad, note, ok, type Finding } from "./finding.ts";

/** The database that machines share; undefined where the store is in the folder. Nothing is made or changed. */
export async function checkSharedDatabase({
  inspectDatabase,
}: Pick<CliContext, "inspectDatabase">): Promise<Finding[] | undefined> {
  let facts: DatabaseReport | undefined;
  try {
    facts = await inspectDatabase();
  } catch (error) {
    // That the configuration is wrong has been told.
    if (error instanceof LonghaulError && error.code === "invalid_input") return undefined;
    return [bad("database", messageOf(error), "Then run longhaul doctor again.")];
  }
  return facts && [checkReachable(facts), checkSchema(facts), checkEncryption(facts), checkListening(facts)];
}

function checkReachable({ host, database, version }: DatabaseReport): Finding {
  return ok(
    "database",
    `Postgres ${version} at ${host} answers, with the database "${database}"; pg and pg-boss are installed.`,
  );
}

function checkSchema({ schemaVersion, newestSchema, mayCreateSchema }: DatabaseReport): Finding {
  if (schemaVersion === newestSchema)
    return ok("schema", `Its schema has version ${schemaVersion}, as this program's.`);
  if (schemaVersion !== undefined) {
    return note(
      "schema",
      `Its schema has version ${schemaVersion}; the next server of this version brings it to ${newestSchema}.`,
    );
  }
  if (mayCreateSchema) return note("schema", "It has no schema of Longhaul's yet; the first server makes it.");
  return bad(
    "schema",
    "It has no schema of Longhaul's, and this user may not make one.",
    "Run GRANT CREATE ON DATABASE … TO … as the database's owner.",
  );
}

function checkEncryption({ isEncrypted, isOnThisMachine, host }: DatabaseReport): Finding {
  if (isEncrypted) return ok("tls", "The connection is encrypted, and the server's certificate is checked.");
  if (isOnThisMachine) return ok("tls", "The database is on this machine, so the connection need not be encrypted.");
  return note(
    "tls",
    `The connection to ${host} is not encrypted: whoever is on the way can read the password and the jobs.`,
    "Add ?sslmode=verify-full to the address, and name the certificates in store.ca_file.",
  );
}

function checkListening({ isListening }: DatabaseReport): Finding {
  if (isListening) return ok("notify", "What one connection tells the others hear at once.");
  return note(
    "notify",
    "What one connection tells the others do not hear (a PgBouncer in transaction mode?), so they look every 500 ms.",
    "Name the database's own address in store.direct_url.",
  );
}
