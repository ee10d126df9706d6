import { createConnection } from "node:net";
import { text } from "node:stream/consumers";
import { Client } from "pg";
import { inject } from "vitest";
import { findPostgres } from "./server.ts";

/** For `describe.skipIf`: the run says at its end what was skipped, and fails for it in CI (test/system-programs.ts). */
export const lacksPostgres = findPostgres() === undefined;

export interface Database {
  readonly url: string;
  /** One statement, or several without values, by somebody who is no part of what is tested. */
  readonly run: (sql: string, values?: unknown[]) => Promise<unknown[]>;
  /** Empties all tables of the store and of its tickets: a new database for each test would take longer than the test. */
  readonly empty: () => Promise<void>;
  readonly remove: () => Promise<void>;
}

const emptyTables = `DO $$ DECLARE t record; BEGIN
  FOR t IN SELECT schemaname, tablename FROM pg_tables WHERE (schemaname = 'longhaul' AND tablename <> 'meta')
    OR (schemaname = 'longhaul_boss' AND tablename = 'job_common') LOOP
    EXECUTE format('DELETE FROM %I.%I', t.schemaname, t.tablename);
  END LOOP; END $$`;

/** An empty database on the one server of the run. */
export async function createDatabase(): Promise<Database> {
  const serverUrl = await askForPostgres();
  const name = `test_${crypto.randomUUID().replaceAll("-", "")}`;
  await runOnce(serverUrl, `CREATE DATABASE ${name} STRATEGY file_copy`);
  const url = Object.assign(new URL(serverUrl), { pathname: `/${name}` }).href;
  return {
    url,
    run: (sql, values) => runOnce(url, sql, values),
    empty: async () => {
      await runOnce(url, emptyTables);
    },
    remove: async () => {
      await runOnce(serverUrl, `DROP DATABASE ${name} WITH (FORCE)`);
    },
  };
}

async function askForPostgres(): Promise<string> {
  const answer = await text(createConnection(inject("postgresPort"), "127.0.0.1"));
  if (answer.startsWith("error")) throw new Error(answer);
  return answer;
}

async function runOnce(connectionString: string, sql: string, values?: unknown[]): Promise<unknown[]> {
  const client = new Client({ connectionString });
  await client.connect();
  try {
    return (await client.query(sql, values)).rows as unknown[];
  } finally {
    await client.end();
  }
}
