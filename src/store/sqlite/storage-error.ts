import { LonghaulError } from "../../job/error.ts";
import { messageOf } from "../../job/failure.ts";

const sqliteFull = 13;
const sqliteCorrupt = 11;
const sqliteNotADatabase = 26;
const sqliteBusy = 5;

/** Turns what SQLite throws into one sentence for the caller; other errors pass unchanged. */
export function toStorageError(error: unknown): unknown {
  if (isFull(error)) {
    return new LonghaulError(
      "storage_full",
      "The disk is full: nothing of this call was stored. Free some space and try again.",
      { cause: error },
    );
  }
  if (sqliteCode(error) === undefined) return error;
  return new LonghaulError("storage_failed", `The database refused the write: ${messageOf(error)}.`, {
    cause: error,
  });
}

/** Told by SQLite, or by the system for a file beside the database. */
export function isFull(error: unknown): boolean {
  const isSystemError =
    error instanceof Error && "code" in error && (error.code === "ENOSPC" || error.code === "EDQUOT");
  return isSystemError || sqliteCode(error) === sqliteFull;
}

export function isDamage(error: unknown): boolean {
  const code = sqliteCode(error);
  return code === sqliteCorrupt || code === sqliteNotADatabase;
}

export function isBusy(error: unknown): boolean {
  return sqliteCode(error) === sqliteBusy;
}

/** The primary result code, without the details in its upper bits. */
function sqliteCode(error: unknown): number | undefined {
  if (typeof error !== "object" || error === null || !("errcode" in error)) return undefined;
  return typeof error.errcode === "number" ? error.errcode & 0xff : undefined;
}
