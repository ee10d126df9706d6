import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";

/** Where a program is on a search path, such as PATH: in the first folder that has it under one of its names. */
export function findProgram(names: string | readonly string[], searchPath = ""): string | undefined {
  const folders = searchPath.split(delimiter).filter((folder) => isAbsolute(folder));
  return folders.flatMap((folder) => [names].flat().map((name) => join(folder, name))).find(isProgram);
}

export function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
