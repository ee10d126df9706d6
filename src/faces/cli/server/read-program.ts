import { readFileSync } from "node:fs";
import { tryParseJson } from "../../../text/parse-json.ts";

/** The program that shares a home among its processes, by the file that it leaves there; undefined where it is a server's home. */
export function readProgram(file: string): string | undefined {
  try {
    const { program } = (tryParseJson(readFileSync(file, "utf8")) ?? {}) as { program?: unknown };
    return typeof program === "string" ? program : undefined;
  } catch {
    return undefined;
  }
}
