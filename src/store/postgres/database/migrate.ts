import { LonghaulError } from "../../../job/error.ts";
import { migrations, schemaMark } from "./schema.ts";
import { codeOf } from "./storage-error.ts";

/** Runs statements that need no values, one after the other on one connection. */
export type RunScript = (script: string) => Promise<readonly Record<string, unknown>[]>;

/** Says what the schema is: absent, ours in some version, or somebody else's. */
export async function readVersion(run: RunScript, schema: string): Promise<number | undefined> {
  const [there] = await run(
    `SELECT to_regnamespace('"${schema}"') IS NOT NULL AS exists, to_regclass('"${schema}".meta') IS NOT NULL AS marked,
       EXISTS (SELECT 1 FROM pg_class WHERE relnamespace = to_regnamespace('"${schema}"')) AS used`,
  );
  if (there?.["exists"] !== true || (there["marked"] !== true && there["used"] !== true)) return undefined;
  const [meta] = there["marked"] === true ? await run(readMeta(schema)).catch(passUnknownColumn) : [];
  if (meta?.["mark"] === schemaMark) return Number(meta["version"]);
  throw new LonghaulError(
    "store_damaged",
    `The schema "${schema}" of the database belongs to another program. It was left unchanged: name another schema or database for the store.`,
  );
}

/** A table of that name, but not ours. */
function passUnknownColumn(error: unknown): [] {
  if (codeOf(error) === "42703") return [];
  throw error;
}

function readMeta(schema: string): string {
  return `SELECT mark, version FROM "${schema}".meta`;
}

export function refuseNewer(version: number, schema: string): void {
  if (version <= migrations.length) return;
  throw new LonghaulError(
    "store_too_new",
    `The schema "${schema}" was written by a newer Longhaul (this one knows formats up to ${migrations.length}, not ${version}). It was left unchanged: update Longhaul, or use another database.`,
  );
}

/** Brings the schema to this version, whoever else tries at the same time; all of it or nothing. */
export async function migrate(run: RunScript, schema: string): Promise<void> {
  await run("BEGIN");
  try {
    await run(`SELECT pg_advisory_xact_lock(hashtextextended('longhaul migrate ${schema}', 0))`);
    const version = (await readVersion(run, schema)) ?? 0;
    refuseNewer(version, schema);
    if (version === 0) await run(createSchema(schema));
    for (const migration of migrations.slice(version)) await run(inSchema(migration, schema));
    await run(`UPDATE "${schema}".meta SET version = ${migrations.length}`);
    await run("COMMIT");
  } catch (error) {
    await run("ROLLBACK").catch(() => undefined);
    throw error;
  }
}

function createSchema(schema: string): string {
  return `CREATE SCHEMA IF NOT EXISTS "${schema}";
    CREATE TABLE "${schema}".meta (mark TEXT NOT NULL, version INTEGER NOT NULL);
    INSERT INTO "${schema}".meta VALUES ('${schemaMark}', 0);`;
}

/** All statements name the schema "longhaul"; the configuration may have another. */
export function inSchema(sql: string, schema: string): string {
  return schema === "longhaul" ? sql : sql.replace(/\blonghaul\./g, `"${schema}".`);
}
