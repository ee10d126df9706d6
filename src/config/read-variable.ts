import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { parseEnv } from "node:util";
import { LonghaulError } from "../job/error.ts";
import { messageOf } from "../job/failure.ts";

/** A variable that is set to something. */
export function readVariable(env: NodeJS.ProcessEnv, name: string): string | undefined {
  const value = env[name]?.trim();
  return value === "" ? undefined : value;
}

/** The environment with what the file that ENV_FILE names adds to it; what is set already counts more. */
export function withEnvFile(env: NodeJS.ProcessEnv, cwd = ""): NodeJS.ProcessEnv {
  const name = readVariable(env, "ENV_FILE");
  if (name === undefined) return env;
  const path = resolve(cwd, name);
  try {
    const set = Object.entries(env).filter(([, value]) => value !== "");
    return { ...env, ...parseEnv(readFileSync(path, "utf8")), ...Object.fromEntries(set) };
  } catch (error) {
    throw new LonghaulError("invalid_input", `ENV_FILE names ${path}, which cannot be read: ${messageOf(error)}.`, {
      cause: error,
    });
  }
}
