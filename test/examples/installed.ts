import { execFile } from "node:child_process";
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const root = join(import.meta.dirname, "../..");
const run = promisify(execFile);

/** What the examples want besides the package: in the versions that this repository is tested with. */
const packages = [
  "@modelcontextprotocol/server",
  "@modelcontextprotocol/sdk",
  "@hono/node-server",
  "express",
  "hono",
  "zod",
] as const;

export interface Installed {
  /** A folder of its own with the example, which finds the packages above it. */
  readonly folder: (example: string, name?: string) => Promise<string>;
  readonly remove: () => Promise<void>;
}

/** Packs the package as npm publishes it, and installs it once into an empty folder. */
export async function installPacked(): Promise<Installed> {
  const base = await mkdtemp(join(tmpdir(), "longhaul-examples-"));
  const { stdout } = await run("npm", ["pack", "--ignore-scripts", "--json", "--pack-destination", base], {
    cwd: root,
    maxBuffer: 64_000_000,
  });
  const [packed] = JSON.parse(stdout) as { filename: string }[];
  await writeFile(join(base, "package.json"), JSON.stringify({ private: true }));
  const wanted = await Promise.all(packages.map(async (name) => `${name}@${await installedVersion(name)}`));
  const args = ["install", "--prefer-offline", "--no-audit", "--no-fund", "--ignore-scripts", "--omit=optional"];
  await run("npm", [...args, join(base, packed?.filename ?? ""), ...wanted], { cwd: base, maxBuffer: 64_000_000 });
  return {
    folder: async (example, name = example.replaceAll("/", "-")) => {
      const folder = join(base, name);
      await mkdir(folder);
      await copyFile(join(root, "examples", example), join(folder, example.split("/").at(-1) ?? ""));
      return folder;
    },
    remove: () => rm(base, { recursive: true, force: true }),
  };
}

async function installedVersion(name: string): Promise<string> {
  const file = join(root, "node_modules", name, "package.json");
  return (JSON.parse(await readFile(file, "utf8")) as { version: string }).version;
}
