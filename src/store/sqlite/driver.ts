import type * as SqliteModule from "@photostructure/sqlite";

export type SqlValue = null | number | bigint | string | Uint8Array;

/** The part of `node:sqlite` that the store uses. */
export interface Statement {
  run(...values: SqlValue[]): { changes: number | bigint; lastInsertRowid: number | bigint };
  get(...values: SqlValue[]): unknown;
  all(...values: SqlValue[]): unknown[];
  iterate(...values: SqlValue[]): IterableIterator<unknown>;
}

export interface Connection {
  /** Runs one or more statements that return nothing. */
  exec(sql: string): void;
  prepare(sql: string): Statement;
  close(): void;
}

/** Node's own module where it exists (22.13 and later); on Node 20 the package with the same API. */
export async function connect(path: string, options: { isReadOnly: boolean }): Promise<Connection> {
  const { DatabaseSync } = await loadModule();
  return new DatabaseSync(path, { readOnly: options.isReadOnly });
}

async function loadModule(): Promise<Pick<typeof SqliteModule, "DatabaseSync">> {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const isBuiltIn = major > 22 || (major === 22 && minor >= 13);
  return (await import(isBuiltIn ? "node:sqlite" : "@photostructure/sqlite")) as typeof SqliteModule;
}

/** Prepares each text once: preparing the same text again and again leaks memory in every driver. */
export function cacheStatements(connection: Connection): (sql: string) => Statement {
  const cache = new Map<string, Statement>();
  return (sql) => {
    let statement = cache.get(sql);
    if (statement === undefined) {
      statement = connection.prepare(sql);
      cache.set(sql, statement);
    }
    return statement;
  };
}
