import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** The version of this package, from the file that npm publishes with it. */
export function readVersion(): string {
  let folder = import.meta.dirname;
  // One folder further up when it runs from where tests build it.
  while (!existsSync(join(folder, "package.json")) && dirname(folder) !== folder) folder = dirname(folder);
  return (JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { version: string }).version;
}
