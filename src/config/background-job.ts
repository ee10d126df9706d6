import { LonghaulError } from "../job/error.ts";

/** The settings of the profile `background-job`, by the names that mcp-background-job gave them (MCP_BG_*). */
export interface BackgroundJobSettings {
  readonly maxJobs: number | undefined;
  readonly maxOutputBytes: number | undefined;
  readonly jobTimeoutMs: number | undefined;
  readonly cleanupIntervalMs: number | undefined;
  /** A command must match one of each list. */
  readonly allowedCommands: readonly (readonly RegExp[])[];
  readonly workingDir: string | undefined;
  /** Refuses jobs over the limit, as mcp-background-job does; otherwise they queue. */
  readonly isStrict: boolean;
}

type Environment = NodeJS.ProcessEnv;

export function readBackgroundJobSettings(env: Environment): BackgroundJobSettings {
  const timeoutSeconds = wholeNumber(env, "MCP_BG_JOB_TIMEOUT", 1, 31_536_000);
  const cleanupSeconds = wholeNumber(env, "MCP_BG_CLEANUP_INTERVAL", 10, 3_600);
  const allowed = patterns(env);
  return {
    maxJobs: wholeNumber(env, "MCP_BG_MAX_JOBS", 1, 100),
    maxOutputBytes: outputSize(env),
    jobTimeoutMs: timeoutSeconds === undefined ? undefined : timeoutSeconds * 1_000,
    cleanupIntervalMs: cleanupSeconds === undefined ? undefined : cleanupSeconds * 1_000,
    allowedCommands: allowed.length === 0 ? [] : [allowed],
    workingDir: env["MCP_BG_WORKING_DIR"] === "" ? undefined : env["MCP_BG_WORKING_DIR"],
    isStrict: ["1", "true", "yes"].includes((env["MCP_BG_STRICT"] ?? "").toLowerCase()),
  };
}

function wholeNumber(env: Environment, name: string, least: number, max: number): number | undefined {
  const text = env[name];
  if (text === undefined || text === "") return undefined;
  const value = Number(text);
  if (Number.isInteger(value) && value >= least && value <= max) return value;
  throw refusal(name, `a whole number from ${least} to ${max}`, text);
}

/** Bytes, or `<n>MB`. */
function outputSize(env: Environment): number | undefined {
  const text = env["MCP_BG_MAX_OUTPUT_SIZE"];
  if (text === undefined || text === "") return undefined;
  const [, digits, unit] = /^(\d+)\s*(MB)?$/i.exec(text.trim()) ?? [];
  const bytes = digits === undefined ? NaN : Number(digits) * (unit === undefined ? 1 : 1024 * 1024);
  if (bytes >= 1024 && bytes <= 100 * 1024 * 1024) return bytes;
  throw refusal("MCP_BG_MAX_OUTPUT_SIZE", "a size from 1024 bytes to 100MB", text);
}

function patterns(env: Environment): RegExp[] {
  const texts = (env["MCP_BG_ALLOWED_COMMANDS"] ?? "").split(",").map((text) => text.trim());
  return texts
    .filter((text) => text !== "")
    .map((text) => {
      try {
        return new RegExp(text, "i");
      } catch (error) {
        // Never dropped silently: without the list everything would be allowed.
        throw new LonghaulError("invalid_input", `MCP_BG_ALLOWED_COMMANDS: "${text}" is not a regular expression.`, {
          cause: error,
        });
      }
    });
}

function refusal(name: string, expected: string, text: string): LonghaulError {
  return new LonghaulError("invalid_input", `${name} must be ${expected}, got "${text}".`);
}
