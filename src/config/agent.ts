import { z } from "zod";
import { LonghaulError } from "../job/error.ts";
import { readVariable } from "./read-variable.ts";
import { parseUrl } from "../job/parse-url.ts";

/** More than any run takes. */
export const maxAgentSteps = 10_000;

const webUrl = z.url({ protocol: /^https?$/ });

const provider = z.strictObject({
  type: z.enum(["anthropic", "google", "openai-compatible"]),
  base_url: webUrl.optional(),
  api_key: z.string().min(1).optional(),
  api_key_env: z.string().min(1).optional().describe("The name of a variable that holds the key."),
});

const price = z.strictObject({
  input: z.number().min(0).describe("US dollars per million tokens."),
  output: z.number().min(0),
  cached_input: z.number().min(0).optional(),
  context_tokens: z.int().min(1_000).optional().describe("How much the model takes in."),
});

const mcpServer = z.union([
  z.strictObject({
    command: z.string().min(1),
    args: z.array(z.string()).default([]),
    env: z.record(z.string(), z.string()).default({}),
    cwd: z.string().optional(),
  }),
  z.strictObject({ url: webUrl, headers: z.record(z.string(), z.string()).default({}) }),
]);

const names = z.string().regex(/^[a-z][a-z0-9_-]{0,31}$/, "expected 1 to 32 lower-case letters, digits, - or _");

/** `agent` in the configuration file. */
export const agentSchema = z.strictObject({
  concurrency: z.int().min(1).max(1_000).default(16),
  max_steps: z
    .int()
    .min(1)
    .max(maxAgentSteps)
    .optional()
    .describe("100 unless given; tasks of mcp-task have no such limit then."),
  roots: z.array(z.string()).default([]).describe("Where agents may work; those of shell unless given."),
  providers: z.record(names, provider).default({}),
  classes: z.record(z.string(), z.union([z.string(), z.array(z.string()).min(1)])).default({}),
  prices: z.record(z.string(), price).default({}),
  mcp_servers: z.record(names, mcpServer).default({}),
  compaction: z
    .enum(["model", "rules"])
    .default("model")
    .describe(
      "Who sums up a conversation that is too long: the model itself, or rules, which cost nothing and keep less.",
    ),
  isolate: z
    .boolean()
    .default(process.getuid?.() !== 0)
    .describe(
      "Whether commands of this machine's user's agents run where they cannot reach Longhaul's folder, if bubblewrap is there.",
    ),
  secret_files: z.array(z.string()).default([".env", ".env.*", "*.pem", "id_rsa*", "id_ed25519*"]),
});

type AgentFile = z.output<typeof agentSchema>;

export interface ProviderConfig {
  readonly type: "anthropic" | "google" | "openai-compatible";
  readonly baseUrl?: string;
  readonly apiKey?: string;
}

export interface AgentConfig extends Omit<AgentFile, "providers"> {
  /** Those that have a key or an address. */
  readonly providers: Readonly<Record<string, ProviderConfig>>;
  readonly taskLimits: TaskLimits;
  /** What must never be shown. */
  readonly secrets: readonly string[];
}

/** How long a task of the profile mcp-task may run (TASK_TIMEOUT), and be silent (TASK_STUCK_THRESHOLD), where that is set. */
export interface TaskLimits {
  readonly runMs: number | undefined;
  readonly idleMs: number | undefined;
}

type Environment = NodeJS.ProcessEnv;

interface KnownProvider extends Omit<ProviderConfig, "apiKey"> {
  readonly keys: readonly string[];
  /** The variable that names another address. */
  readonly address?: string;
}

const knownProviders: Readonly<Record<string, KnownProvider>> = {
  anthropic: { type: "anthropic", keys: ["ANTHROPIC_API_KEY"], address: "ANTHROPIC_BASE_URL" },
  openai: {
    type: "openai-compatible",
    baseUrl: "https://api.openai.com/v1",
    keys: ["OPENAI_API_KEY"],
    address: "OPENAI_BASE_URL",
  },
  google: {
    type: "google",
    keys: ["GOOGLE_API_KEY", "GOOGLE_GENAI_API_KEY", "GEMINI_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY"],
  },
  xai: { type: "openai-compatible", baseUrl: "https://api.x.ai/v1", keys: ["XAI_API_KEY", "GROK_API_KEY"] },
  deepseek: { type: "openai-compatible", baseUrl: "https://api.deepseek.com/v1", keys: ["DEEPSEEK_API_KEY"] },
  openrouter: { type: "openai-compatible", baseUrl: "https://openrouter.ai/api/v1", keys: ["OPENROUTER_API_KEY"] },
  ollama: { type: "openai-compatible", keys: [], address: "OLLAMA_HOST" },
};

export function readAgentConfig(file: AgentFile, env: Environment): AgentConfig {
  const providers = { ...readProviders(env), ...fromFile(file.providers, env) };
  const keys = Object.values(providers).map(({ apiKey }) => apiKey);
  const handed = Object.values(file.mcp_servers).flatMap((server) =>
    Object.values("env" in server ? server.env : server.headers),
  );
  return {
    ...file,
    providers,
    taskLimits: readTaskLimits(env),
    secrets: [...keys, ...handed].filter((value) => value !== undefined),
  };
}

export function readTaskLimits(env: Environment): TaskLimits {
  return { runMs: milliseconds(env, "TASK_TIMEOUT"), idleMs: milliseconds(env, "TASK_STUCK_THRESHOLD") };
}

/** The variables that make these providers usable. */
export function providerVariables(isWanted: (provider: string) => boolean): string[] {
  return Object.entries(knownProviders).flatMap(([name, { keys, address }]) =>
    isWanted(name) ? [...keys, ...(address === undefined ? [] : [address])] : [],
  );
}

/** The providers that variables make usable. */
export function readProviders(env: Environment): Record<string, ProviderConfig> {
  const found = Object.entries(knownProviders).flatMap(([name, { type, baseUrl, keys, address }]) => {
    const apiKey = keys.map((key) => readVariable(env, key)).find((value) => value !== undefined);
    const given = address === undefined ? undefined : readVariable(env, address);
    if (apiKey === undefined && given === undefined) return [];
    const url = given === undefined ? baseUrl : toBaseUrl(given, address ?? "");
    return [[name, { type, baseUrl: url, apiKey }]];
  });
  return Object.fromEntries(found) as Record<string, ProviderConfig>;
}

/** Addresses are given with and without a scheme, and with and without the version that the APIs live under. */
function toBaseUrl(text: string, variable: string): string {
  const url = parseUrl(/^https?:\/\//.test(text) ? text : `http://${text}`);
  if (url === undefined) {
    throw new LonghaulError(
      "invalid_input",
      `${variable} must be a URL such as http://127.0.0.1:11434, got "${text}".`,
    );
  }
  const { origin, pathname } = url;
  const path = pathname.replace(/\/+$/, "");
  return origin + (path === "" ? "/v1" : path);
}

function fromFile(providers: AgentFile["providers"], env: Environment): Record<string, ProviderConfig> {
  const read = Object.entries(providers).map(([name, given]) => {
    const known = knownProviders[name];
    const baseUrl = given.base_url ?? known?.baseUrl;
    if (given.type === "openai-compatible" && baseUrl === undefined) {
      throw new LonghaulError("invalid_input", `agent.providers.${name} is openai-compatible and needs a base_url.`);
    }
    const apiKey =
      given.api_key ?? (given.api_key_env === undefined ? undefined : readVariable(env, given.api_key_env));
    return [name, { type: given.type, baseUrl, apiKey }];
  });
  return Object.fromEntries(read) as Record<string, ProviderConfig>;
}

function milliseconds(env: Environment, name: string): number | undefined {
  const text = readVariable(env, name);
  if (text === undefined) return undefined;
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1 && value <= 31_536_000_000) return value;
  throw new LonghaulError("invalid_input", `${name} must be a whole number of milliseconds above 0, got "${text}".`);
}
