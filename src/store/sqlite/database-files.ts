import { statSync } from "node:fs";
import { LonghaulError } from "../../job/error.ts";
import type { Connection } from "./driver.ts";

interface FileIdentity {
  readonly dev: number;
  readonly ino: number;
}

/** Writes all that the open log holds into the database and begins a new log. */
const beginNewLog = "PRAGMA journal_mode = DELETE; PRAGMA journal_mode = WAL; BEGIN IMMEDIATE; COMMIT";

/**
 * The database and its log as they were opened. SQLite goes on writing to files that somebody has deleted, and all of it
 * is gone with the process; so whoever commits asks here whether the files are still in their place.
 */
export class DatabaseFiles {
  readonly #file: string;
  readonly #log: string;
  readonly #connection: Connection;
  readonly #openedFile: FileIdentity | undefined;
  #openedLog: FileIdentity | undefined;

  /** The connection is in WAL mode, and has both files open. */
  constructor(file: string, connection: Connection) {
    this.#file = file;
    this.#log = `${file}-wal`;
    this.#connection = connection;
    this.#openedFile = identify(this.#file);
    this.#openedLog = identify(this.#log);
  }

  get isDatabaseInPlace(): boolean {
    return isSame(identify(this.#file), this.#openedFile);
  }

  /** Outside of a transaction. A log that was deleted is made anew: what it held is not lost while it is open. */
  ensureInPlace(): void {
    if (!this.isDatabaseInPlace) throw misplaced();
    const log = identify(this.#log);
    if (isSame(log, this.#openedLog)) return;
    if (log !== undefined) throw misplaced();
    this.#connection.exec(beginNewLog);
    this.#openedLog = identify(this.#log);
  }
}

function identify(path: string): FileIdentity | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    // Its folder cannot be reached any more.
    return undefined;
  }
}

function isSame(found: FileIdentity | undefined, opened: FileIdentity | undefined): boolean {
  return found !== undefined && found.ino === opened?.ino && found.dev === opened.dev;
}

function misplaced(): LonghaulError {
  return new LonghaulError(
    "storage_failed",
    "The database was deleted or replaced while it was in use, so nothing can be stored: put the file back, or restart the server to go on with what is there now.",
  );
}
