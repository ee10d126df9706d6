import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { promisify } from "node:util";

interface LockFile {
  readonly packages: Readonly<Record<string, { readonly version?: string; readonly optional?: boolean }>>;
}

/** How long the first run may take to fetch such a package. */
export const installTimeoutMs = 600_000;

/**
 * Some tests drive programs that nothing else needs. Each set is a package of its own, and is installed by the first
 * test that wants it: running and building Longhaul does not wait for it.
 */
export async function installPackage(folder: string): Promise<void> {
  if (await isInstalled(folder)) return;
  const args = ["ci", "--prefix", folder, "--prefer-offline", "--no-audit", "--no-fund"];
  try {
    await promisify(execFile)("npm", args, { timeout: installTimeoutMs });
  } catch (error) {
    const name = relative(process.cwd(), folder);
    const { stderr = "" } = error as { stderr?: string };
    throw new Error(
      `The packages of ${name} could not be installed. They come from the npm registry, once: run "npm ci --prefix ${name}" with a connection.\n${stderr}`,
      { cause: error },
    );
  }
}

/** npm notes what it has installed when it is done: a changed lock file shows, and an installation that was cut short. */
async function isInstalled(folder: string): Promise<boolean> {
  const wanted = await readLockFile(join(folder, "package-lock.json"));
  const installed = await readLockFile(join(folder, "node_modules/.package-lock.json")).catch(() => undefined);
  if (installed === undefined) return false;
  return Object.entries(wanted.packages).every(([path, { version, optional }]) => {
    const found = installed.packages[path];
    return path === "" || (found === undefined ? optional : found.version === version);
  });
}

async function readLockFile(file: string): Promise<LockFile> {
  return JSON.parse(await readFile(file, "utf8")) as LockFile;
}
