import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  openSync,
  readSync,
  statSync,
  statfsSync,
  type Stats,
} from "node:fs";
import { dirname, join } from "node:path";
import type { Paths } from "../../../config/paths.ts";
import { checkFile, checkFolder as refuseForeignFolder } from "../../../config/private-files.ts";
import { LonghaulError } from "../../../job/error.ts";
import { messageOf } from "../../../job/failure.ts";
import type { CliContext } from "../cli-context.ts";
import { checkSharedDatabase } from "./database-checks.ts";
import { bad, note, ok, type Finding } from "./finding.ts";

const setHome = "Set LONGHAUL_HOME to a folder that you can write to.";

/** The folder and what lies in it. Nothing is made or changed. */
export async function checkHome(
  paths: Paths,
  cli: Pick<CliContext, "inspectStore" | "inspectDatabase">,
): Promise<Finding[]> {
  const shared = await checkSharedDatabase(cli);
  const database = shared ?? [await checkDatabase(join(paths.home, "longhaul.db"), cli.inspectStore)];
  return [checkFolder(paths), checkSpace(paths.home), ...database];
}

function checkFolder(paths: Paths): Finding {
  const { home } = paths;
  const facts = statOf(home);
  if (facts === undefined) {
    const parent = nearestExisting(home);
    const isUsable = statOf(parent)?.isDirectory() === true && isAllowed(parent, constants.W_OK | constants.X_OK);
    return isUsable
      ? note("folder", `${home} does not exist yet; the first command makes it.`)
      : bad(
          "folder",
          `${home} does not exist and cannot be made, because ${parent} is not a folder that you can write to.`,
          setHome,
        );
  }
  if (!facts.isDirectory()) return bad("folder", `${home} is not a folder.`, setHome);
  if (!isAllowed(home, constants.R_OK | constants.W_OK | constants.X_OK)) {
    return bad("folder", `${home} cannot be read and written by you.`, setHome);
  }
  const foreign = findForeign(paths);
  if (foreign !== undefined) return bad("folder", foreign, setHome);
  if ((facts.mode & 0o077) !== 0) {
    const mode = (facts.mode & 0o777).toString(8);
    return note(
      "folder",
      `${home} is open to other users (mode ${mode}); the server closes it when it starts.`,
      `chmod 700 ${home}`,
    );
  }
  return ok("folder", `${home} exists, and only you can use it.`);
}

/** What others have made or could change, as the server would refuse it. */
function findForeign({ home, socket, token }: Paths): string | undefined {
  try {
    for (const folder of [home, dirname(socket)]) refuseForeignFolder(folder);
    checkFile(token, { isSecret: true });
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

const leastBytes = 100_000_000;
const comfortableBytes = 1_000_000_000;

function checkSpace(home: string): Finding {
  const { bavail, bsize } = statfsSync(nearestExisting(home));
  const bytes = bavail * bsize;
  const text = `${bytes >= comfortableBytes ? `${(bytes / 1e9).toFixed(1)} GB` : `${(bytes / 1e6).toFixed(0)} MB`} of disk space are free.`;
  if (bytes < leastBytes) return bad("disk", text, "Free some space: jobs need it for their records and output.");
  return bytes < comfortableBytes ? note("disk", text, "Jobs with a lot of output may fill it up.") : ok("disk", text);
}

/** Reading more than this takes longer than anybody wants to wait for. */
const maxCheckedBytes = 1_000_000_000;

async function checkDatabase(file: string, inspectStore: CliContext["inspectStore"]): Promise<Finding> {
  const facts = statOf(file);
  if (facts === undefined) return note("database", "There is none yet; the first server makes it.");
  const restore = "Restore a backup, or move it away to start with an empty one.";
  try {
    const header = readHeader(file);
    if (header === "") return note("database", `${file} is empty; the next server creates it again.`);
    if (!header.startsWith("SQLite format 3")) return bad("database", `${file} is not a SQLite database.`, restore);
    if (existsSync(`${file}-journal`)) {
      return note("database", `${file} has an unfinished change; the next server undoes it.`);
    }
    const isThorough = facts.size <= maxCheckedBytes;
    await inspectStore(file, { isThorough });
    return isThorough
      ? ok("database", `${file} is sound.`)
      : note("database", `${file} is readable; it is too large to be checked completely here.`);
  } catch (error) {
    return explainDatabase(file, error, restore);
  }
}

function explainDatabase(file: string, error: unknown, restore: string): Finding {
  const code = error instanceof LonghaulError ? error.code : undefined;
  if (code === "store_in_use") return ok("database", `${file} is in use; its server checked it when it started.`);
  if (code === "store_too_new") return bad("database", messageOf(error), "Update Longhaul, or use another folder.");
  if (code === "store_damaged") return bad("database", messageOf(error), restore);
  return bad("database", `${file} cannot be read: ${messageOf(error)}.`, restore);
}

function readHeader(file: string): string {
  const descriptor = openSync(file, "r");
  try {
    const buffer = Buffer.alloc(16);
    return buffer.toString("latin1", 0, readSync(descriptor, buffer, 0, buffer.length, 0));
  } finally {
    closeSync(descriptor);
  }
}

function nearestExisting(path: string): string {
  let existing = path;
  while (!existsSync(existing) && dirname(existing) !== existing) existing = dirname(existing);
  return existing;
}

function isAllowed(path: string, mode: number): boolean {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
