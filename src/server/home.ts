import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { readOrMakeFile } from "../config/whole-file.ts";
import { LonghaulError } from "../job/error.ts";
import { placeSchema } from "../job/place.ts";
import { makeFolder } from "../store/files/make-folder.ts";
import { lockFile } from "../store/sqlite/file-lock.ts";

/**
 * A folder of this machine that belongs to one engine: what its commands write is there, and is shipped from there. Where the jobs are in a
 * shared database, that does not lock the folder as the embedded one does.
 */
export async function lockHome(home: string, { isShared }: { isShared: boolean }): Promise<() => void> {
  const file = join(home, "longhaul.lock");
  if (!isShared && !existsSync(file)) return () => undefined;
  makeFolder(home);
  const release = await lockFile(file);
  if (release === undefined) throw inUse(home, `${file}.owner`);
  if (isShared) writeFileSync(`${file}.owner`, String(process.pid), { mode: 0o600 });
  return release;
}

function inUse(home: string, ownerFile: string): LonghaulError {
  const owner = existsSync(ownerFile) ? ` (process ${readFileSync(ownerFile, "utf8")})` : "";
  return new LonghaulError(
    "store_in_use",
    `${home} is in use by another Longhaul engine${owner}. Only one may have it open: talk to that one, or use another folder with LONGHAUL_HOME.`,
  );
}

/** The name of this machine, made once for each folder: two folders on one computer are two machines, as their commands know nothing of each other. */
export function readMachineName(home: string): string {
  makeFolder(home);
  const name = readOrMakeFile(join(home, "machine"), makeMachineName).trim();
  if (placeSchema.safeParse(name).success) return name;
  throw new LonghaulError(
    "invalid_input",
    `${join(home, "machine")} must hold the name of this machine, a word of lower-case letters, digits, dots and dashes, got "${name}": change it, or remove the file.`,
  );
}

function makeMachineName(): string {
  const host = hostname()
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "")
    .slice(0, 50);
  return [host, randomBytes(3).toString("hex")].filter((part) => part !== "").join("-");
}
