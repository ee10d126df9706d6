import { existsSync, readFileSync } from "node:fs";
import { cpus } from "node:os";
import { dirname, resolve } from "node:path";
import { z } from "zod";
import { defined } from "../job/defined.ts";
import { LonghaulError } from "../job/error.ts";
import { messageOf } from "../job/failure.ts";
import { parseInputIn } from "../job/issue.ts";
import { checkWebhookSecret, parseWebhookUrl } from "../job/webhook.ts";
import { accessFields, oidcSchema } from "./access.ts";
import { agentSchema, readAgentConfig, type AgentConfig } from "./agent.ts";
import { readBackgroundJobSettings, type BackgroundJobSettings } from "./background-job.ts";
import { endpointsSchema, readEndpoints, type EndpointsConfig } from "./endpoints.ts";
import { checkNotify, notifySchema } from "./notify.ts";
import { findPaths, type Paths } from "./paths.ts";
import { checkConfigFile } from "./private-files.ts";
import { readVariable, withEnvFile } from "./read-variable.ts";
import { readSearch, searchSchema, type SearchConfig } from "./search.ts";
import { readStore, storeSchema, type PostgresConfig } from "./store.ts";
import { readWorker, workerSchema, type WorkerFlags } from "./worker.ts";

const hourMs = 3_600_000;

const serverName = /^[a-z0-9]{1,16}$/;

const pattern = z.string().refine(isPattern, "expected a regular expression");

/** Variables that commands inherit unless the configuration says otherwise: what tools need, and nothing that looks secret. */
const defaultInheritedEnv = [
  "PATH",
  "HOME",
  "USER",
  "LOGNAME",
  "SHELL",
  "LANG",
  "LANGUAGE",
  "LC_*",
  "TERM",
  "COLORTERM",
  "TZ",
  "TMPDIR",
  "PWD",
  "EDITOR",
  "PAGER",
  "DISPLAY",
  "WAYLAND_DISPLAY",
  "XDG_*",
  "SSH_AUTH_SOCK",
  "http_proxy",
  "https_proxy",
  "no_proxy",
  "HTTP_PROXY",
  "HTTPS_PROXY",
  "NO_PROXY",
  "NODE_*",
  "NVM_*",
  "npm_config_*",
  "PYTHON*",
  "PYENV_*",
  "VIRTUAL_ENV",
  "CONDA_*",
  "JAVA_HOME",
  "GOPATH",
  "GOROOT",
  "CARGO_HOME",
  "RUSTUP_HOME",
  "DOTNET_ROOT",
  "ANDROID_HOME",
  "DOCKER_HOST",
];

const configSchema = z.strictObject({
  server: z
    .strictObject({
      host: z.string().default("127.0.0.1"),
      port: z.int().min(0).max(65_535).optional().describe("0 takes any free port."),
      name: z
        .string()
        .regex(serverName, "expected 1 to 16 lower-case letters and digits")
        .optional()
        .describe("Begins the ids of sessions, so that a proxy before several servers finds the one that has it."),
      ...accessFields,
      max_stream_readers: z.int().min(1).max(100_000).default(2_000),
    })
    .prefault({}),
  shell: z
    .strictObject({
      shell: z.enum(["bash", "sh"]).default("bash"),
      concurrency: z.int().min(1).max(1_000).default(16),
      allow: z.array(pattern).default([]),
      allow_env: z
        .array(z.string())
        .default([])
        .describe("Variables that callers may set for a command although only some commands are allowed."),
      deny: z.array(pattern).default([]),
      roots: z.array(z.string()).default([]),
      inherit_env: z.array(z.string()).default(defaultInheritedEnv),
      output_cap_mb: z.number().min(0.01).max(100_000).default(100),
      term_grace_ms: z.int().min(0).max(600_000).default(5_000),
      user: z
        .string()
        .regex(/^[a-z_][\w.-]*$/i, "expected the name of an account")
        .optional()
        .describe(
          "The account under which the commands of others than this machine's user run; the server must be root.",
        ),
      trust_owners: z
        .boolean()
        .default(false)
        .describe(
          "Whether commands of every owner may run like those of this machine's user, where they reach everything.",
        ),
      allow_remote: z.boolean().default(false).describe("Whether callers on other machines may run commands."),
    })
    .prefault({}),
  net: z
    .strictObject({
      allow: z
        .array(z.string())
        .default([])
        .describe("Hosts, host:port and ranges that may be reached although they are not public."),
      user_agent: z
        .string()
        .min(1)
        .max(256)
        .regex(/^[\x20-\x7e]+$/, "expected printable ASCII")
        .optional(),
      timeout_ms: z.int().min(100).max(600_000).default(30_000),
      max_body_mb: z.number().min(0.01).max(1_000).default(10),
    })
    .prefault({}),
  agent: agentSchema.prefault({}),
  browser: z
    .strictObject({
      executable: z.string().min(1).optional().describe("Chromium, Chrome or Edge; looked for where it is not named."),
      sandbox: z.boolean().default(process.getuid?.() !== 0),
      max_pages: z.int().min(1).max(100).default(Math.max(1, cpus().length)),
    })
    .prefault({}),
  library: z
    .strictObject({
      days: z
        .number()
        .min(0)
        .max(36_500)
        .default(90)
        .describe("How long analysed pages are kept beyond their jobs; 0 keeps none."),
      max_pages: z.int().min(1).max(100_000).default(2_000).describe("The oldest go first."),
      max_mb: z.number().min(1).max(100_000).default(500),
    })
    .prefault({}),
  crawl: z
    .strictObject({
      concurrency: z.int().min(1).max(100).default(4).describe("Crawl jobs at the same time."),
      per_host: z.int().min(1).max(64).default(8).describe("Requests to one host at the same time, over all jobs."),
      model: z.string().min(1).optional().describe("Reads data that rules do not find; the class mini unless given."),
      minimum_delay_ms: z.int().min(0).max(60_000).default(0).describe("Between two requests to one host."),
    })
    .prefault({}),
  search: searchSchema.optional(),
  store: storeSchema.optional().describe("Where machines share one: postgres://user:password@host/database."),
  worker: workerSchema.prefault({}),
  retention: z
    .strictObject({
      succeeded_hours: z.number().min(0).default(24),
      failed_hours: z
        .number()
        .min(0)
        .default(24 * 7),
    })
    .prefault({}),
  endpoints: endpointsSchema,
  oidc: oidcSchema.optional(),
  webhooks: z
    .strictObject({
      allow: z
        .array(z.string())
        .default([])
        .describe("The only origins, or beginnings of addresses, that may be posted to; any public one unless given."),
      default_url: z.string().optional().describe("For jobs that name no address of their own."),
      secret: z.string().optional().describe("Signs the posts; made and kept in the folder unless given."),
    })
    .prefault({}),
  notify: notifySchema.prefault({}),
  kinds: z
    .array(z.string().min(1))
    .default([])
    .describe("Modules that export kinds of your own; paths are relative to the folder of this file."),
  redact: z.array(z.string()).default([]).describe("Values to hide wherever they would be shown."),
});

export type Config = z.output<typeof configSchema>;

export interface LoadedConfig extends Omit<Config, "agent" | "endpoints" | "search" | "store"> {
  readonly paths: Paths;
  /** The environment that commands may inherit from. */
  readonly env: NodeJS.ProcessEnv;
  readonly backgroundJob: BackgroundJobSettings;
  readonly agent: AgentConfig;
  readonly endpoints: EndpointsConfig;
  readonly search: SearchConfig | undefined;
  /** Undefined: the embedded database in the folder. */
  readonly store: PostgresConfig | undefined;
}

export interface ConfigFlags extends WorkerFlags {
  readonly host?: string;
  readonly port?: number;
  readonly allowRemoteShell?: boolean;
}

/** File, then environment, then flags: the later wins. A bad value is refused with its name, never replaced silently. */
export function loadConfig(flags: ConfigFlags = {}, variables: NodeJS.ProcessEnv = process.env): LoadedConfig {
  const env = withEnvFile(variables);
  const paths = findPaths(env);
  const file = readConfigFile(paths.config);
  const parsed = parseInputIn(configSchema, file, `The configuration in ${paths.config}`);
  checkWebhooks(parsed.webhooks);
  checkNotify(parsed.notify);
  const port = flags.port ?? toPort(env["LONGHAUL_PORT"]) ?? parsed.server.port;
  const server = {
    ...parsed.server,
    host: flags.host ?? env["LONGHAUL_HOST"] ?? parsed.server.host,
    ...defined({ port, name: readServerName(env) ?? parsed.server.name }),
  };
  const backgroundJob = readBackgroundJobSettings(env);
  const shell = {
    ...withBackgroundJob(parsed.shell, backgroundJob),
    allow_remote: flags.allowRemoteShell ?? parsed.shell.allow_remote,
  };
  const executable = env["LONGHAUL_BROWSER"] ?? parsed.browser.executable;
  const browser = { ...parsed.browser, ...(executable === undefined ? {} : { executable }) };
  const endpoints = readEndpoints(parsed.endpoints, env);
  const agent = readAgentConfig(parsed.agent, env);
  const search = readSearch(parsed.search, env);
  const store = readStore(parsed.store, env);
  const worker = readWorker(parsed.worker, flags, env);
  const secrets = [...agent.secrets, ...(search?.api_key === undefined ? [] : [search.api_key])];
  const redact = [...parsed.redact, ...secrets, ...(store?.secrets ?? [])];
  const parts = { browser, shell, agent, search, server, store, worker, paths, env, backgroundJob, endpoints, redact };
  const ownKinds = parsed.kinds.map((module) => resolve(dirname(paths.config), module));
  const kinds = [...ownKinds, ...(worker.modules ?? [])];
  return { ...parsed, ...parts, kinds };
}

/** The limits of mcp-background-job are those of all commands, where they are set. */
function withBackgroundJob(
  shell: Config["shell"],
  { maxJobs, maxOutputBytes }: BackgroundJobSettings,
): Config["shell"] {
  return {
    ...shell,
    ...(maxJobs === undefined ? {} : { concurrency: maxJobs }),
    ...(maxOutputBytes === undefined ? {} : { output_cap_mb: maxOutputBytes / 1_000_000 }),
  };
}

export function toRetention({ retention }: Pick<Config, "retention">): { succeededMs: number; failedMs: number } {
  return { succeededMs: retention.succeeded_hours * hourMs, failedMs: retention.failed_hours * hourMs };
}

function readConfigFile(path: string): unknown {
  if (!existsSync(path)) return {};
  checkConfigFile(path);
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    throw new LonghaulError("invalid_input", `${path} is not readable JSON: ${messageOf(error)}.`, { cause: error });
  }
}

/** Apart from the schema, whose complaints show what came: an address or a secret must not be shown. */
function checkWebhooks({ allow, default_url: defaultUrl, secret }: Config["webhooks"]): void {
  for (const address of allow) parseWebhookUrl(address, "webhooks.allow");
  if (defaultUrl !== undefined) parseWebhookUrl(defaultUrl, "webhooks.default_url");
  if (secret !== undefined) checkWebhookSecret(secret, "webhooks.secret");
}

function toPort(text: string | undefined): number | undefined {
  if (text === undefined || text === "") return undefined;
  const port = Number(text);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new LonghaulError("invalid_input", `LONGHAUL_PORT must be a whole number from 0 to 65535, got "${text}".`);
}

function readServerName(env: NodeJS.ProcessEnv): string | undefined {
  const name = readVariable(env, "LONGHAUL_SERVER_NAME");
  if (name === undefined || serverName.test(name)) return name;
  throw new LonghaulError(
    "invalid_input",
    `LONGHAUL_SERVER_NAME must be 1 to 16 lower-case letters and digits, got "${name}".`,
  );
}

function isPattern(text: string): boolean {
  try {
    return new RegExp(text) instanceof RegExp;
  } catch {
    return false;
  }
}
