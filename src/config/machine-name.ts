import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import { join } from "node:path";
import type { Paths } from "./paths.ts";
import { checkFile } from "./private-files.ts";
import { readOrMakeFile } from "./whole-file.ts";

/**
 * Under which name this folder's process is known to others that share its store: what its jobs have started is here, so it stays the same
 * for as long as the folder. A machine may have several folders.
 */
export function readMachineName({ home }: Pick<Paths, "home">): string {
  const file = join(home, "machine");
  checkFile(file, { isSecret: false });
  return readOrMakeFile(file, () => `${toWord(hostname())}-${randomBytes(3).toString("hex")}`).trim();
}

function toWord(name: string): string {
  const word = name.toLowerCase().replaceAll(/[^a-z0-9.-]/g, "-");
  return word.replace(/^[^a-z0-9]+/, "").slice(0, 40) || "machine";
}
