import type { Client, Pool } from "pg";
import { LonghaulError } from "../../../job/error.ts";

interface TypeParsers {
  getTypeParser(oid: number, format?: "text"): (value: string) => unknown;
}

/** `pg` is an optional peer: only who keeps jobs in Postgres needs it. */
export async function loadDriver(): Promise<{ Pool: typeof Pool; Client: typeof Client; types: TypeParsers }> {
  const { default: pg } = await loadPeer("pg", () => import("pg"));
  return pg;
}

/** Loads a package that may not be there. */
export async function loadPeer<Module>(name: string, load: () => Promise<Module>): Promise<Module> {
  try {
    return await load();
  } catch (error) {
    if (!isMissing(error, name)) throw error;
    throw new LonghaulError(
      "storage_failed",
      `A store on Postgres needs the package ${name}, which is not installed: run "npm install pg pg-boss@12.35.0" beside longhaul.`,
      { cause: error },
    );
  }
}

function isMissing(error: unknown, name: string): boolean {
  return (
    error instanceof Error &&
    "code" in error &&
    error.code === "ERR_MODULE_NOT_FOUND" &&
    error.message.includes(`'${name}'`)
  );
}
