import { connect } from "./driver.ts";
import { isBusy } from "./storage-error.ts";

/** Holds a file for this process alone, until it lets go or ends, however it ends; undefined if another process holds it. */
export async function lockFile(file: string): Promise<(() => void) | undefined> {
  const connection = await connect(file, { isReadOnly: false });
  try {
    // A transaction that is never committed: Node has no lock of its own, and SQLite's ends with the process.
    connection.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    connection.close();
    if (isBusy(error)) return undefined;
    throw error;
  }
  return () => {
    connection.exec("ROLLBACK");
    connection.close();
  };
}
