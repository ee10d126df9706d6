import { parentPort, workerData } from "node:worker_threads";
import { LonghaulError } from "../../../job/error.ts";
import { messageOf } from "../../../job/failure.ts";
import type { Connection } from "../driver.ts";
import { isDamage } from "../storage-error.ts";
import type { LibraryCall, LibraryReply, LibraryThreadData } from "./open-library.ts";
import { LibraryDatabase } from "./library-database.ts";
import { moveAside, openLibraryDatabase } from "./open-database.ts";

/** The thread that owns the library's file: what is written, searched and packed here keeps nobody waiting elsewhere. */
const { file, limits } = workerData as LibraryThreadData;

interface Opened {
  readonly connection: Connection;
  readonly database: LibraryDatabase;
}

let opened: Promise<Opened> | undefined;
let turn: Promise<void> = Promise.resolve();

parentPort?.on("message", (call: LibraryCall) => {
  turn = turn.then(() => answer(call));
});

async function answer({ number, method, args }: LibraryCall): Promise<void> {
  try {
    reply({ number, value: method === "close" ? await close() : await runOnce(method, args) });
  } catch (error) {
    const code = error instanceof LonghaulError ? error.code : "storage_failed";
    reply({ number, error: { code, message: messageOf(error) } });
  }
}

/** A file that turns out to be damaged while it is used is moved aside, and the call tried with a new one. */
async function runOnce(method: Exclude<LibraryCall["method"], "close">, args: readonly unknown[]): Promise<unknown> {
  const { connection, database } = await (opened ??= open());
  try {
    return runMethod(database, method, args);
  } catch (error) {
    if (!isDamage(error)) throw error;
    connection.close();
    reply({ moved: moveAside(file) });
    opened = open();
    return runMethod((await opened).database, method, args);
  }
}

function runMethod(
  database: LibraryDatabase,
  method: Exclude<LibraryCall["method"], "close">,
  args: readonly unknown[],
): unknown {
  const run = database[method] as (...given: unknown[]) => unknown;
  return run.apply(database, [...args]);
}

async function open(): Promise<Opened> {
  try {
    const connection = await openLibraryDatabase(file, (moved) => reply({ moved }));
    return { connection, database: new LibraryDatabase(connection, limits) };
  } catch (error) {
    // The next call tries again: the disk may have room by then.
    opened = undefined;
    throw error;
  }
}

async function close(): Promise<void> {
  if (opened !== undefined) (await opened).connection.close();
  parentPort?.close();
}

function reply(message: LibraryReply): void {
  parentPort?.postMessage(message, []);
}
