import { chmodSync, closeSync, existsSync, openSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { LonghaulError } from "../../job/error.ts";
import { messageOf } from "../../job/failure.ts";
import { makeFolder } from "../files/make-folder.ts";
import { createOutputFiles } from "../files/output-files.ts";
import type { Store } from "../store.ts";
import { connect, type Connection } from "./driver.ts";
import { applicationId, migrations } from "./schema.ts";
import { createSqliteStore } from "./sqlite-store.ts";
import { isBusy, isDamage, isFull, toStorageError } from "./storage-error.ts";

export interface SqliteOptions {
  readonly file: string;
  /** Most bytes kept of one output stream. */
  readonly outputCapBytes?: number;
}

/** Larger files are searched for damage only after a crash, because that reads all of them. */
const alwaysCheckedBytes = 64 * 1024 * 1024;

/** Opens the file, or makes it. A file that is not ours, is damaged, is newer or is in use is refused and left as it is. */
export async function openSqliteStore({ file, outputCapBytes = 16 * 1024 * 1024 }: SqliteOptions): Promise<Store> {
  const folder = dirname(file);
  makeHome(folder);
  if (existsSync(file) && statSync(file).size > 0) {
    await finishRollback(file);
    await inspectStoreFile(file, { isThorough: isCheckDue(file) });
  }
  makePrivate(file);
  const connection = await openExclusive(file);
  const ownerFile = `${file}.owner`;
  try {
    migrate(connection);
    writeFileSync(ownerFile, String(process.pid), { mode: 0o600 });
    return createSqliteStore({
      connection,
      file,
      createOutput: (onGrown) => createOutputFiles(join(folder, "output"), { capBytes: outputCapBytes, onGrown }),
      onClose: () => rmSync(ownerFile, { force: true }),
    });
  } catch (error) {
    connection.close();
    throw translate(error, file);
  }
}

function makeHome(folder: string): void {
  try {
    makeFolder(folder);
  } catch (error) {
    throw new LonghaulError("storage_failed", `The folder ${folder} cannot be made: ${messageOf(error)}.`, {
      cause: error,
    });
  }
}

/** SQLite gives the files that it makes beside the database the same mode. */
function makePrivate(file: string): void {
  try {
    closeSync(openSync(file, "a", 0o600));
    for (const path of [file, `${file}-wal`, `${file}-shm`]) if (existsSync(path)) chmodSync(path, 0o600);
  } catch {
    // Whoever opens it says why it cannot be used.
  }
}

/** Looks at a file through a read-only connection, so that refusing it changes nothing. Thoroughly reads all of it. */
export async function inspectStoreFile(file: string, { isThorough }: { isThorough: boolean }): Promise<void> {
  const hadIndex = existsSync(`${file}-shm`);
  const connection = await openReadOnly(file);
  try {
    if (!isTrue(connection, isOurs)) throw damaged(file, "it belongs to another program");
    if (!isTrue(connection, `(SELECT user_version FROM pragma_user_version) <= ${migrations.length}`)) {
      throw new LonghaulError(
        "store_too_new",
        `${file} was written by a newer Longhaul (this one knows formats up to ${migrations.length}). It was left unchanged: update Longhaul, or use another folder.`,
      );
    }
    const isSound = !isThorough || isTrue(connection, "(SELECT quick_check FROM pragma_quick_check) = 'ok'");
    if (!isSound) throw damaged(file, "some of its pages are damaged");
  } catch (error) {
    throw translate(error, file);
  } finally {
    connection.close();
    // Made to read the log that a killed process has left; the store itself keeps its index in memory.
    if (!hadIndex) rmSync(`${file}-shm`, { force: true });
  }
}

/** A process that died while it changed the journal's mode leaves a rollback behind that a reader cannot finish. */
async function finishRollback(file: string): Promise<void> {
  if (!existsSync(`${file}-journal`)) return;
  const connection = await connect(file, { isReadOnly: false });
  try {
    connection.exec("BEGIN IMMEDIATE; ROLLBACK");
  } catch (error) {
    throw translate(error, file);
  } finally {
    connection.close();
  }
}

/**
 * Asks without a prepared statement: with one, the driver for Node 20 keeps the connection, and with it a lock on the
 * file, beyond `close`. A false condition runs into the error of parsing a text that is no JSON.
 */
function isTrue(connection: Connection, condition: string): boolean {
  try {
    connection.exec(`SELECT CASE WHEN ${condition} THEN 1 ELSE json('no') END`);
    return true;
  } catch (error) {
    if (/malformed JSON/.test(messageOf(error))) return false;
    throw error;
  }
}

/** Our mark, or a file that a crash left before anything was in it. */
const isOurs = `(SELECT application_id FROM pragma_application_id) = ${applicationId}
  OR (SELECT application_id FROM pragma_application_id) = 0 AND NOT EXISTS (SELECT 1 FROM sqlite_schema)`;

async function openReadOnly(file: string): Promise<Connection> {
  try {
    return await connect(file, { isReadOnly: true });
  } catch (error) {
    throw translate(error, file);
  }
}

function isCheckDue(file: string): boolean {
  const wal = `${file}-wal`;
  const wasKilled = existsSync(wal) && statSync(wal).size > 0;
  return wasKilled || statSync(file).size <= alwaysCheckedBytes;
}

/** The lock ends with the process, however it ends, so a crash never leaves a stale one. */
async function openExclusive(file: string): Promise<Connection> {
  const connection = await connect(file, { isReadOnly: false }).catch((error: unknown) => {
    throw translate(error, file);
  });
  try {
    connection.exec(`
      PRAGMA locking_mode = EXCLUSIVE;
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = FULL;
      PRAGMA cache_size = -16000;
      PRAGMA temp_store = MEMORY;
      PRAGMA wal_autocheckpoint = 4000;
      PRAGMA journal_size_limit = 67108864;
      BEGIN IMMEDIATE; COMMIT;
    `);
    return connection;
  } catch (error) {
    connection.close();
    throw translate(error, file);
  }
}

function migrate(connection: Connection): void {
  const version = [...migrations.keys(), migrations.length].find((known) =>
    isTrue(connection, `(SELECT user_version FROM pragma_user_version) = ${known}`),
  );
  if (version === migrations.length) return;
  connection.exec("BEGIN IMMEDIATE");
  try {
    for (const migration of migrations.slice(version)) connection.exec(migration);
    connection.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${migrations.length}; COMMIT`);
  } catch (error) {
    try {
      connection.exec("ROLLBACK");
    } catch {
      // SQLite rolled back by itself; the error that made it do so is the one to tell.
    }
    throw error;
  }
}

function translate(error: unknown, file: string): unknown {
  if (isBusy(error)) return inUse(file);
  if (isDamage(error)) return damaged(file, messageOf(error));
  if (error instanceof LonghaulError) return error;
  if (isFull(error)) return toStorageError(error);
  return new LonghaulError("storage_failed", `${file} cannot be opened: ${messageOf(error)}.`, { cause: error });
}

function inUse(file: string): LonghaulError {
  const owner = existsSync(`${file}.owner`) ? ` (process ${readFileSync(`${file}.owner`, "utf8")})` : "";
  return new LonghaulError(
    "store_in_use",
    `${file} is in use by another Longhaul engine${owner}. Only one may have it open: talk to that one, or use another folder.`,
  );
}

function damaged(file: string, what: string): LonghaulError {
  return new LonghaulError(
    "store_damaged",
    `${file} cannot be used: ${what}. It was left unchanged: restore a backup, or move it away to start with an empty one.`,
  );
}
