import { chmodSync, closeSync, existsSync, openSync, renameSync, statSync } from "node:fs";
import { LonghaulError } from "../../../job/error.ts";
import { connect, type Connection } from "../driver.ts";
import { isDamage } from "../storage-error.ts";
import { libraryApplicationId, libraryMigrations } from "./schema.ts";

/** Larger files are searched for damage only after a crash, because that reads all of them. */
const alwaysCheckedBytes = 64 * 1024 * 1024;

/** Opens the file, or makes it. One that is damaged, or not ours, is moved aside and made anew; `onMoved` says where it is now. */
export async function openLibraryDatabase(file: string, onMoved: (path: string) => void): Promise<Connection> {
  try {
    return await open(file);
  } catch (error) {
    if (!isDamage(error) && !(error instanceof ForeignFile)) throw error;
    onMoved(moveAside(file));
    return open(file);
  }
}

/** Under a name that is free; the log goes with the file. */
export function moveAside(file: string): string {
  const stamp = new Date().toISOString().replace(/[:.]/g, "-");
  const aside = `${file}.damaged-${stamp}`;
  for (const end of ["", "-wal", "-shm", "-journal"]) {
    if (existsSync(`${file}${end}`)) renameSync(`${file}${end}`, `${aside}${end}`);
  }
  return aside;
}

class ForeignFile extends Error {}

async function open(file: string): Promise<Connection> {
  const wasKilled = existsSync(`${file}-wal`) && statSync(`${file}-wal`).size > 0;
  closeSync(openSync(file, "a", 0o600));
  chmodSync(file, 0o600);
  const connection = await connect(file, { isReadOnly: false });
  try {
    connection.exec(`
      PRAGMA auto_vacuum = INCREMENTAL;
      PRAGMA locking_mode = EXCLUSIVE;
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = FULL;
      PRAGMA cache_size = -16000;
      PRAGMA temp_store = MEMORY;
    `);
    const isThorough = wasKilled || statSync(file).size <= alwaysCheckedBytes;
    migrate(connection, file, isThorough);
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

function migrate(connection: Connection, file: string, isThorough: boolean): void {
  const version = readPragma(connection, "user_version");
  const mark = readPragma(connection, "application_id");
  if (mark !== libraryApplicationId && (mark !== 0 || version !== 0)) throw new ForeignFile();
  if (version > libraryMigrations.length) {
    throw new LonghaulError(
      "store_too_new",
      `${file} was written by a newer Longhaul. It was left unchanged: update Longhaul, or move the file away.`,
    );
  }
  const check = isThorough ? connection.prepare("PRAGMA quick_check (1)").all() : [];
  if (check.some((row) => (row as { quick_check: string }).quick_check !== "ok")) throw new ForeignFile();
  if (version === libraryMigrations.length) return;
  connection.exec(
    `BEGIN IMMEDIATE; ${libraryMigrations.slice(version).join("\n")}
     PRAGMA application_id = ${libraryApplicationId}; PRAGMA user_version = ${libraryMigrations.length}; COMMIT`,
  );
}

function readPragma(connection: Connection, name: "user_version" | "application_id"): number {
  return (connection.prepare(`PRAGMA ${name}`).get() as Record<string, number>)[name] ?? 0;
}
