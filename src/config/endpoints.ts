import { homedir } from "node:os";
import { z } from "zod";
import { LonghaulError } from "../job/error.ts";
import type { Json } from "../job/json.ts";

const usualBaseUrl = "https://api.runpod.ai/v2";
const concurrency = z.int().min(1).max(1_000);
const milliseconds = z
  .int()
  .min(1)
  .max(366 * 24 * 3_600_000);

const runpodSchema = z.strictObject({
  type: z.literal("runpod"),
  endpoint_id: z
    .string()
    .regex(/^[a-zA-Z0-9_-]{1,64}$/)
    .optional()
    .describe("The name unless given."),
  base_url: z.url({ protocol: /^https?$/ }).optional(),
  api_key: z.string().min(1).optional(),
  api_key_env: z.string().min(1).optional().describe("The variable that holds the key."),
  concurrency: concurrency.default(200).describe("Most jobs that are followed at once."),
});

const localSchema = z
  .strictObject({
    type: z.literal("local"),
    command: z.string().min(1).optional().describe("A command line for the shell."),
    argv: z.array(z.string()).min(1).optional().describe("A program and its arguments."),
    cwd: z.string().startsWith("/", "expected an absolute path").optional(),
    env: z.record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/), z.string()).default({}),
    mode: z.enum(["warm", "per_job"]).default("per_job"),
    concurrency: concurrency.default(1),
    timeout_ms: milliseconds.default(600_000),
    idle_timeout_ms: milliseconds.optional().describe("Most time without a word from the worker."),
    keep_ms: milliseconds.default(300_000).describe("How long a warm worker is kept without a job."),
    input_schema: z.record(z.string(), z.json()).optional().describe("A JSON Schema."),
  })
  .refine(({ command, argv }) => (command === undefined) !== (argv === undefined), "give either command or argv");

export const endpointsSchema = z
  .record(
    z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/, "a name of letters, digits, _ and -"),
    z.discriminatedUnion("type", [runpodSchema, localSchema]),
  )
  .default({});

export interface RunpodConfig {
  readonly type: "runpod";
  readonly endpointId: string;
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
  readonly concurrency: number;
}

export interface LocalConfig {
  readonly type: "local";
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly mode: "warm" | "per_job";
  readonly concurrency: number;
  readonly timeoutMs: number;
  readonly idleTimeoutMs: number | undefined;
  readonly keepMs: number;
  readonly inputSchema: Json | undefined;
}

export interface EndpointsConfig {
  readonly named: Readonly<Record<string, RunpodConfig | LocalConfig>>;
  /** With a key of RunPod's, any of its endpoints can be named by its id. */
  readonly anyRunpod: Omit<RunpodConfig, "endpointId"> | undefined;
  /** Keys, to be hidden wherever they would be shown. */
  readonly secrets: readonly string[];
}

/** Puts what the file says of endpoints together with RUNPOD_API_KEY and RUNPOD_SERVERLESS_API_URL. */
export function readEndpoints(file: z.output<typeof endpointsSchema>, env: NodeJS.ProcessEnv): EndpointsConfig {
  const baseUrl = readBaseUrl(env) ?? usualBaseUrl;
  const usualKey = env["RUNPOD_API_KEY"] === "" ? undefined : env["RUNPOD_API_KEY"];
  const named = Object.fromEntries(
    Object.entries(file).map(([name, endpoint]): [string, RunpodConfig | LocalConfig] => {
      if (endpoint.type === "local") return [name, toLocal(endpoint)];
      const keyName = endpoint.api_key_env;
      const apiKey = endpoint.api_key ?? (keyName === undefined ? usualKey : env[keyName]);
      return [
        name,
        {
          type: "runpod",
          endpointId: endpoint.endpoint_id ?? name,
          baseUrl: trimmed(endpoint.base_url ?? baseUrl),
          apiKey,
          concurrency: endpoint.concurrency,
        },
      ];
    }),
  );
  const keys = Object.values(named).flatMap((endpoint) => (endpoint.type === "runpod" ? [endpoint.apiKey] : []));
  return {
    named,
    anyRunpod:
      usualKey === undefined
        ? undefined
        : { type: "runpod", baseUrl: trimmed(baseUrl), apiKey: usualKey, concurrency: 200 },
    secrets: [...keys, usualKey].filter((key) => key !== undefined),
  };
}

function toLocal(endpoint: z.output<typeof localSchema>): LocalConfig {
  const { command, argv, cwd, env, mode, concurrency: most } = endpoint;
  return {
    type: "local",
    argv: argv ?? ["sh", "-c", command ?? ""],
    cwd: cwd ?? homedir(),
    env,
    mode,
    concurrency: most,
    timeoutMs: endpoint.timeout_ms,
    idleTimeoutMs: endpoint.idle_timeout_ms,
    keepMs: endpoint.keep_ms,
    inputSchema: endpoint.input_schema,
  };
}

function readBaseUrl(env: NodeJS.ProcessEnv): string | undefined {
  const text = env["RUNPOD_SERVERLESS_API_URL"];
  if (text === undefined || text === "") return undefined;
  if (z.url({ protocol: /^https?$/ }).safeParse(text).success) return text;
  throw new LonghaulError(
    "invalid_input",
    `RUNPOD_SERVERLESS_API_URL must be a URL such as ${usualBaseUrl}, got "${text}".`,
  );
}

function trimmed(url: string): string {
  return url.replace(/\/+$/, "");
}
