import { join } from "node:path";
import { onTestFinished } from "vitest";
import { createOutputFiles } from "../../../src/store/files/output-files.ts";
import { connect, type Connection } from "../../../src/store/sqlite/driver.ts";
import { openSqliteStore } from "../../../src/store/sqlite/open.ts";
import { createSqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import type { Store } from "../../../src/store/store.ts";
import { makeTempFolder } from "../../temp-folder.ts";
import { World } from "../world.ts";

export interface Recording {
  readonly world: World;
  readonly connection: Connection;
  readonly file: string;
  /** The texts of all statements that were prepared. */
  readonly prepared: Set<string>;
  /** What was executed and which of the test's own marks came between, in order. */
  readonly log: string[];
  /** Called before each execution; may throw in its place, as a failing disk does. */
  beforeExecute: (sql: string) => void;
}

/** A SQLite store whose connection writes down what it is asked. */
export async function openRecordedStore(): Promise<Recording> {
  const folder = makeTempFolder();
  const file = join(folder, "longhaul.db");
  await (await openSqliteStore({ file })).close();
  const connection = await connect(file, { isReadOnly: false });
  connection.exec("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; BEGIN IMMEDIATE; COMMIT");
  const prepared = new Set<string>();
  const log: string[] = [];
  const recorder: Connection = {
    exec: (sql) => {
      recording.beforeExecute(sql);
      log.push(sql);
      connection.exec(sql);
    },
    prepare: (sql) => {
      prepared.add(sql);
      return connection.prepare(sql);
    },
    close: () => connection.close(),
  };
  const store: Store = createSqliteStore({
    connection: recorder,
    file,
    createOutput: (onGrown) => createOutputFiles(join(folder, "output"), { capBytes: 1_000, onGrown }),
    onClose: () => undefined,
  });
  onTestFinished(() => store.close());
  const world = new World({ store, reopen: async () => store, cleanup: () => store.close() });
  const recording: Recording = { world, connection, file, prepared, log, beforeExecute: () => undefined };
  return recording;
}
