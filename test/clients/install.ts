import { execFile } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

/** Survives `npm ci`, and is shared by all clones: the clients are a gigabyte. */
const cache = join(process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "longhaul-clients");

export type Installed = { readonly folder: string } | { readonly missing: string };

/** Installs one exact version of a package, without running its scripts. Says why where the registry lacks it. */
export async function install(name: string, packageName: string, version: string): Promise<Installed> {
  const folder = join(cache, `${name}-${version}`);
  if (existsSync(folder)) return { folder };
  const unfinished = `${folder}.${process.pid}`;
  mkdirSync(unfinished, { recursive: true });
  writeFileSync(join(unfinished, "package.json"), `{"private":true}`);
  const flags = ["--ignore-scripts", "--no-package-lock", "--no-audit", "--no-fund", "--save-exact"];
  try {
    await promisify(execFile)("npm", ["install", ...flags, `${packageName}@${version}`], { cwd: unfinished });
    renameSync(unfinished, folder);
    return { folder };
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    const { stderr } = error as { stderr?: string };
    const reason = stderr?.split("\n").find((line) => /npm error (code E|\d)/.test(line));
    return { missing: `${packageName}@${version} could not be installed: ${reason ?? String(error)}` };
  }
}

/** Copies a package of Longhaul, as another version than it is if one is given, and returns the copy's program. */
export function copyLonghaul(source: string, folder: string, version?: string): string {
  mkdirSync(folder, { recursive: true });
  cpSync(join(source, "dist"), join(folder, "dist"), { recursive: true });
  symlinkSync(realpathSync(join(source, "node_modules")), join(folder, "node_modules"));
  const description = JSON.parse(readFileSync(join(source, "package.json"), "utf8")) as { version: string };
  const own = { ...description, version: version ?? description.version };
  writeFileSync(join(folder, "package.json"), JSON.stringify(own));
  return join(folder, "dist", "server", "main.js");
}
