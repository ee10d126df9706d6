import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { LonghaulError } from "../../job/error.ts";
import { messageOf } from "../../job/failure.ts";

/** Adds an endpoint to the configuration file. Says where the file was copied to before, if there was one. */
export function addEndpoint(path: string, name: string, endpoint: object): string | undefined {
  const config = readConfig(path);
  const endpoints = toObject(config["endpoints"] ?? {}, path, "endpoints");
  if (Object.hasOwn(endpoints, name)) {
    throw new LonghaulError(
      "conflict",
      `${path} has an endpoint "${name}" already: choose another name, or remove it.`,
    );
  }
  const text = `${JSON.stringify({ ...config, endpoints: { ...endpoints, [name]: endpoint } }, null, 2)}\n`;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const backup = existsSync(path) ? `${path}.${new Date().toISOString().replaceAll(/[:.]/g, "-")}.bak` : undefined;
  if (backup !== undefined) copyFileSync(path, backup);
  // In one step: a server that starts now reads one or the other.
  writeFileSync(`${path}.new`, text, { mode: 0o600 });
  renameSync(`${path}.new`, path);
  return backup;
}

function readConfig(path: string): Record<string, unknown> {
  if (!existsSync(path)) return {};
  try {
    return toObject(JSON.parse(readFileSync(path, "utf8")), path, "it");
  } catch (error) {
    if (error instanceof LonghaulError) throw error;
    throw new LonghaulError("invalid_input", `${path} is not readable JSON: ${messageOf(error)}.`, { cause: error });
  }
}

function toObject(value: unknown, path: string, what: string): Record<string, unknown> {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new LonghaulError("invalid_input", `${path}: ${what} must be an object.`);
}
