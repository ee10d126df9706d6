import { homedir } from "node:os";
import { z } from "zod";
import type { AnyRunpod, Endpoint, LocalEndpoint } from "../job/endpoint.ts";
import { LonghaulError } from "../job/error.ts";

const defaultBaseUrl = "https://api.runpod.ai/v2";
const defaultRestUrl = "https://api.runpod.io";
const defaultPublicUrl = "https://api.runpod.io/graphql";
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
  api_base_url: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe("Of the API that lists endpoints and workers."),
  api_key: z.string().min(1).optional(),
  api_key_env: z.string().min(1).optional().describe("The variable that holds the key."),
  concurrency: concurrency.default(200).describe("Maximum number of jobs that are followed at once."),
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
    idle_timeout_ms: milliseconds.optional().describe("Maximum time without a word from the worker."),
    keep_ms: milliseconds.default(300_000).describe("How long a warm worker is kept without a job."),
    input_schema: z.record(z.string(), z.json()).optional().describe("A JSON Schema."),
  })
  .refine(({ command, argv }) => (command === undefined) !== (argv === undefined), "must have either command or argv");

export const endpointsSchema = z
  .record(
    z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/, "a name of letters, digits, _ and -"),
    z.discriminatedUnion("type", [runpodSchema, localSchema]),
  )
  .default({});

export interface EndpointsConfig {
  readonly named: Readonly<Record<string, Endpoint>>;
  /** Undefined without a key. */
  readonly anyRunpod: AnyRunpod | undefined;
  /** Where RunPod lists the endpoints that it runs for everybody. */
  readonly publicUrl: string;
  /** Addresses that the configuration names itself, and so may be anywhere. */
  readonly namedUrls: readonly string[];
  /** Keys, to be hidden wherever they would be shown. */
  readonly secrets: readonly string[];
}

/** Puts what the file says of endpoints together with the variables that RunPod's own server reads. */
export function readEndpoints(file: z.output<typeof endpointsSchema>, env: NodeJS.ProcessEnv): EndpointsConfig {
  const baseUrl = trimmed(readUrl(env, "RUNPOD_SERVERLESS_API_URL", defaultBaseUrl) ?? defaultBaseUrl);
  const restUrl = readUrl(env, "RUNPOD_API_BASE_URL", defaultRestUrl);
  const publicUrl = readUrl(env, "RUNPOD_PUBLIC_GRAPHQL_URL", defaultPublicUrl);
  const defaultKey = env["RUNPOD_API_KEY"] === "" ? undefined : env["RUNPOD_API_KEY"];
  const named = Object.fromEntries(
    Object.entries(file).map(([name, endpoint]): [string, Endpoint] => {
      if (endpoint.type === "local") return [name, toLocal(endpoint)];
      const keyName = endpoint.api_key_env;
      const apiKey = endpoint.api_key ?? (keyName === undefined ? defaultKey : env[keyName]);
      const ownUrl = trimmed(endpoint.base_url ?? baseUrl);
      return [
        name,
        {
          type: "runpod",
          endpointId: endpoint.endpoint_id ?? name,
          baseUrl: ownUrl,
          apiKey,
          restUrl: toRestUrl(ownUrl, endpoint.api_base_url ?? (ownUrl === baseUrl ? restUrl : undefined)),
          concurrency: endpoint.concurrency,
        },
      ];
    }),
  );
  const keys = Object.values(named).flatMap((endpoint) => (endpoint.type === "runpod" ? [endpoint.apiKey] : []));
  return {
    named,
    anyRunpod:
      defaultKey === undefined
        ? undefined
        : { type: "runpod", baseUrl, apiKey: defaultKey, restUrl: toRestUrl(baseUrl, restUrl), concurrency: 200 },
    publicUrl: publicUrl ?? defaultPublicUrl,
    namedUrls: [restUrl, publicUrl, ...Object.values(file).map(apiBaseUrlOf)].filter((url) => url !== undefined),
    secrets: [...keys, defaultKey].filter((key) => key !== undefined),
  };
}

export const runpodVariables = ["RUNPOD_API_KEY", "RUNPOD_SERVERLESS_API_URL", "RUNPOD_API_BASE_URL"] as const;

/** RunPod as a client's own key makes it usable. */
export function readBroughtRunpod(keys: NodeJS.ProcessEnv): AnyRunpod | undefined {
  return readEndpoints({}, keys).anyRunpod;
}

function toLocal(endpoint: z.output<typeof localSchema>): LocalEndpoint {
  const { command, argv, cwd, env, mode, concurrency: max } = endpoint;
  return {
    type: "local",
    argv: argv ?? ["sh", "-c", command ?? ""],
    cwd: cwd ?? homedir(),
    env,
    mode,
    concurrency: max,
    timeoutMs: endpoint.timeout_ms,
    idleTimeoutMs: endpoint.idle_timeout_ms,
    keepMs: endpoint.keep_ms,
    inputSchema: endpoint.input_schema,
  };
}

function apiBaseUrlOf(endpoint: z.output<typeof endpointsSchema>[string]): string | undefined {
  return endpoint.type === "runpod" ? endpoint.api_base_url : undefined;
}

/** A key of another platform is not shown to RunPod. */
function toRestUrl(baseUrl: string, given: string | undefined): string | undefined {
  const url = given ?? (baseUrl === defaultBaseUrl ? defaultRestUrl : undefined);
  return url === undefined ? undefined : trimmed(url);
}

function readUrl(env: NodeJS.ProcessEnv, name: string, example: string): string | undefined {
  const text = env[name];
  if (text === undefined || text === "") return undefined;
  if (z.url({ protocol: /^https?$/ }).safeParse(text).success) return text;
  throw new LonghaulError("invalid_input", `${name} must be a URL such as ${example}, got "${text}".`);
}

function trimmed(url: string): string {
  return url.replace(/\/+$/, "");
}
