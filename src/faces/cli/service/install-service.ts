import { existsSync, readFileSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { writeWholeFile } from "../../../config/whole-file.ts";
import { LonghaulError } from "../../../job/error.ts";
import { messageOf } from "../../../job/failure.ts";
import { makeFolder } from "../server/start-server.ts";
import type { ServiceManager } from "./service.ts";

/** What became of the wish to have the service. */
export type Installed =
  /** Nothing was to be done. */
  | "unchanged"
  | "started"
  /** The file is there, but nobody could be told to start it. */
  | "written";

/** Doing it again changes nothing. If the service cannot be started, the file is as it was before. */
export async function installService(manager: ServiceManager, text: string): Promise<Installed> {
  const { file } = manager;
  const before = readIfThere(file);
  const isAnswering = await manager.isAnswering();
  if (before === text && isAnswering) {
    const { isEnabled, isRunning } = await manager.state();
    if (isEnabled === true && isRunning === true) return "unchanged";
  }
  write(file, text);
  if (!isAnswering) return "written";
  try {
    await manager.start();
    return "started";
  } catch (error) {
    await manager.stop().catch(() => undefined);
    if (before === undefined) rmSync(file, { force: true });
    else write(file, before);
    await manager.forget();
    throw error;
  }
}

/** False if there was none. */
export async function removeService(manager: ServiceManager): Promise<boolean> {
  const isThere = existsSync(manager.file);
  if (isThere && (await manager.isAnswering())) await manager.stop();
  rmSync(manager.file, { force: true });
  if (isThere) await manager.forget();
  return isThere;
}

function write(file: string, text: string): void {
  try {
    makeFolder(dirname(file));
    writeWholeFile(file, text);
  } catch (error) {
    throw new LonghaulError("storage_failed", `${file} cannot be written: ${messageOf(error)}.`, { cause: error });
  }
}

function readIfThere(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, "utf8") : undefined;
}
