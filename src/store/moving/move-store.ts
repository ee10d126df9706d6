import { existsSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import { LonghaulError } from "../../job/error.ts";
import { messageOf } from "../../job/failure.ts";
import type { Session } from "../postgres/database/connections.ts";
import { inSchema } from "../postgres/database/migrate.ts";
import { openDatabase, type DatabaseOptions } from "../postgres/database/open-database.ts";
import { connect } from "../sqlite/driver.ts";
import { openSqliteStore } from "../sqlite/open.ts";
import { isSame, type Digest } from "./digest.ts";
import { digestOutput, moveOutput } from "./move-output.ts";
import { digestTarget, moveRows, type MoveParts } from "./move-rows.ts";
import { moves } from "./moves.ts";

export interface StoreMove extends Omit<DatabaseOptions, "size" | "migrates"> {
  /** The embedded database. The output of its jobs is in the folder beside it. */
  readonly file: string;
  /** The name of this machine there: commands that run are adopted on it. */
  readonly machine: string;
  readonly onProgress: (progress: MoveProgress) => void;
}

export interface MoveProgress {
  readonly table: string;
  /** Rows, or of output bytes. */
  readonly moved: number;
}

/** How much of what was moved, and found there as it was here. */
export interface MoveReport {
  readonly tables: readonly { readonly table: string; readonly rows: number }[];
  /** Where the embedded database is now: nobody opens it by mistake. */
  readonly kept: string;
}

/**
 * Moves a store from its folder to a database: all of it, proven by counts and digests of what is there afterwards, or nothing. Refuses
 * while a server has the folder, and a database that is not empty.
 */
export async function moveStore({ file, machine, onProgress, ...options }: StoreMove): Promise<MoveReport> {
  const moving = `${file}.moving`;
  const kept = `${file}.moved`;
  const database = await openDatabase({ ...options, size: 2, migrates: true });
  try {
    const wasCut = existsSync(moving) && !existsSync(file);
    if (!wasCut) await setAside(file, moving);
    const source = await connect(moving, { isReadOnly: true });
    try {
      const report = await database.withSession((target) =>
        moveAll(
          { source, target, schema: options.schema, machine },
          { root: join(dirname(file), "output"), wasCut, onProgress },
        ),
      );
      renameSync(moving, kept);
      return { ...report, kept };
    } catch (error) {
      renameSync(moving, file);
      throw error;
    } finally {
      source.close();
    }
  } finally {
    await database.close();
  }
}

/** Brings the file to this version and checks it, as a server does; under another name no server finds it. */
async function setAside(file: string, moving: string): Promise<void> {
  if (!existsSync(file)) {
    throw new LonghaulError(
      "not_found",
      `There is no database at ${file}: set LONGHAUL_HOME to the folder that has one.`,
    );
  }
  await (await openSqliteStore({ file })).close();
  renameSync(file, moving);
}

interface MoveAll {
  readonly root: string;
  /** An earlier move was cut; it may have come to its end there. */
  readonly wasCut: boolean;
  readonly onProgress: StoreMove["onProgress"];
}

async function moveAll(parts: MoveParts, { root, wasCut, onProgress }: MoveAll): Promise<Omit<MoveReport, "kept">> {
  const { target } = parts;
  await target.query("BEGIN");
  await target.query("SET LOCAL idle_in_transaction_session_timeout = 0");
  await target.query("SET LOCAL statement_timeout = 0");
  const isEmpty = await isTargetEmpty(target, parts.schema);
  if (!isEmpty && !wasCut) throw notEmpty(parts.schema);
  const tables: { table: string; rows: number }[] = [];
  const check = (table: string, here: Digest, there: Digest): void => {
    if (!isSame(here, there)) throw isEmpty ? different(table, here, there) : notEmpty(parts.schema);
    tables.push({ table, rows: there.count });
  };
  try {
    // Where an earlier move has come to its end, what is there is compared and left as it is.
    const into = isEmpty ? parts : { ...parts, target: nowhere };
    for (const move of moves) {
      const here = await moveRows(move, into, (moved) => onProgress({ table: move.to, moved }));
      check(move.to, here, await digestTarget(move, parts));
    }
    const output = await moveOutput({ ...into, root }, (moved) => onProgress({ table: "output", moved }));
    const there = await digestOutput(parts);
    check("chunks", output.chunks, there.chunks);
    check("artifacts", output.artifacts, there.artifacts);
    check("artifact_chunks", output.artifactChunks, there.artifactChunks);
    await target.query("COMMIT");
    return { tables };
  } catch (error) {
    if (error instanceof LonghaulError) throw error;
    throw new LonghaulError("storage_failed", `Nothing was moved: ${messageOf(error)}.`, { cause: error });
  }
}

const nowhere: Session = { query: async () => [] };

async function isTargetEmpty({ query }: Session, schema: string): Promise<boolean> {
  for (const { to } of moves) {
    const [row] = await query(inSchema(`SELECT 1 FROM longhaul.${to} LIMIT 1`, schema));
    if (row !== undefined) return false;
  }
  return true;
}

function notEmpty(schema: string): LonghaulError {
  return new LonghaulError(
    "conflict",
    `The schema "${schema}" of the database has jobs or tokens already, and nothing was moved: name an empty database, or another store.schema.`,
  );
}

function different(table: string, here: Digest, there: Digest): LonghaulError {
  return new LonghaulError(
    "storage_failed",
    `What arrived in ${table} is not what was sent (${here.count} rows, ${there.count} there), so nothing was moved. Please report this.`,
  );
}
