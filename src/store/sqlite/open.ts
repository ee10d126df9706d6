import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { LonghaulError } from "../../job/error.ts";
import { messageOf } from "../../job/failure.ts";
import { createOutputFiles } from "../output-files.ts";
import type { Store } from "../store.ts";
import { connect, type Connection } from "./driver.ts";
import { applicationId, migrations } from "./schema.ts";
import { createSqliteStore } from "./sqlite-store.ts";
import { isBusy, isDamage } from "./storage-error.ts";

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
  makeFolder(folder);
  if (existsSync(file) && statSync(file).size > 0) await inspect(file);
  const connection = await openExclusive(file);
  const ownerFile = `${file}.owner`;
  try {
    migrate(connection);
    writeFileSync(ownerFile, String(process.pid), { mode: 0o600 });
    return createSqliteStore({
      connection,
      createOutput: (onGrown) => createOutputFiles(join(folder, "output"), { capBytes: outputCapBytes, onGrown }),
      onClose: () => rmSync(ownerFile, { force: true }),
    });
  } catch (error) {
    connection.close();
    throw error;
  }
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new LonghaulError("storage_failed", `The folder ${folder} cannot be made: ${messageOf(error)}.`, {
      cause: error,
    });
  }
}

/** Looks at a file through a read-only connection, so that refusing it changes nothing. */
async function inspect(file: string): Promise<void> {
  checkHeader(file);
  await finishRollback(file);
  const connection = await connect(file, { isReadOnly: true });
  try {
    if (!isTrue(connection, `(SELECT user_version FROM pragma_user_version) <= ${migrations.length}`)) {
      throw new LonghaulError(
        "store_too_new",
        `${file} was written by a newer Longhaul (this one knows formats up to ${migrations.length}). It was left as it is: update Longhaul, or use another folder.`,
      );
    }
    const isSound = !isCheckDue(file) || isTrue(connection, "(SELECT quick_check FROM pragma_quick_check) = 'ok'");
    if (!isSound) throw damaged(file, "some of its pages are damaged");
  } catch (error) {
    throw translate(error, file);
  } finally {
    connection.close();
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

/** The first bytes say whose file it is, before SQLite is let near it. */
function checkHeader(file: string): void {
  const header = Buffer.alloc(100);
  const descriptor = openSync(file, "r");
  try {
    readSync(descriptor, header, 0, header.length, 0);
  } finally {
    closeSync(descriptor);
  }
  const isSqlite = header.toString("latin1", 0, 15) === "SQLite format 3";
  if (!isSqlite) throw damaged(file, "it is not a SQLite database");
  // A file that died before its first checkpoint has everything, this mark included, in its write-ahead log.
  const mark = header.readUInt32BE(68);
  if (mark !== applicationId && mark !== 0) throw damaged(file, "it belongs to another program");
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
  const { user_version: version } = connection.prepare("PRAGMA user_version").get() as { user_version: number };
  if (version === migrations.length) return;
  connection.exec("BEGIN IMMEDIATE");
  try {
    for (const migration of migrations.slice(version)) connection.exec(migration);
    connection.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${migrations.length}; COMMIT`);
  } catch (error) {
    connection.exec("ROLLBACK");
    throw error;
  }
}

function translate(error: unknown, file: string): unknown {
  if (isBusy(error)) return inUse(file);
  if (isDamage(error)) return damaged(file, messageOf(error));
  if (error instanceof LonghaulError) return error;
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
    `${file} cannot be used: ${what}. It was left as it is: restore a backup, or move it away to start with an empty one.`,
  );
}
