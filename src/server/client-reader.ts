import { readProviders } from "../config/agent.ts";
import { readBroughtKeys, readClientSettings, type ClientSettings } from "../config/client-settings.ts";
import type { LoadedConfig } from "../config/config.ts";
import type { ProfileSet } from "../config/profiles.ts";
import { withEnvFile } from "../config/read-variable.ts";
import type { ClientDefaults } from "../job/client-defaults.ts";
import { defined } from "../job/defined.ts";
import { LonghaulError } from "../job/error.ts";
import { inheritEnv } from "../kinds/shell/policy.ts";
import type { ClientContext } from "../operations/client-context.ts";
import type { Endpoints } from "../operations/endpoints.ts";
import type { ServerFacts } from "../operations/operation.ts";
import { defaultTaskMs } from "./open-agent-kind.ts";

/** Reads, of where callers on this machine stand, what the configuration lets them hand on to their jobs. */
export interface ClientReader {
  readonly defaults: (context: Partial<ClientContext>) => ClientDefaults;
  /** Throws, with one sentence, for settings that cannot be honoured. */
  readonly settings: (set: ProfileSet, context: ClientContext) => ClientSettings;
}

export function createClientReader(config: LoadedConfig): ClientReader {
  const { allow, inherit_env: inherited } = config.shell;
  return {
    defaults: ({ cwd, env: given }) => {
      const env = given === undefined ? {} : withEnvFile(given, cwd);
      const keys = readBroughtKeys(env, config);
      return {
        cwd,
        // With a PATH of its own, an allowed name would be another program.
        ...(given === undefined || allow.length > 0 ? {} : { env: bounded(inheritEnv(inherited, env)) }),
        ...(Object.keys(keys).length === 0 ? {} : { keys }),
      };
    },
    settings: (set, { cwd, env }) => readClientSettings(set, withEnvFile(env, cwd), config, cwd),
  };
}

/** More than any shell has; it is kept with every job. */
const maxEnvBytes = 200_000;

function bounded(env: Record<string, string>): Record<string, string> {
  const bytes = Buffer.byteLength(JSON.stringify(env));
  if (bytes <= maxEnvBytes) return env;
  throw new LonghaulError(
    "too_large",
    `The variables that commands would inherit from you have ${bytes} bytes; at most ${maxEnvBytes} are allowed. Name fewer in shell.inherit_env.`,
  );
}

/** The server as it is for one client: with what its keys make usable, and within its own limits. */
export function asSeenBy(server: ServerFacts, client: ClientDefaults = {}, settings?: ClientSettings): ServerFacts {
  const { agents, endpoints } = server;
  const { keys = {} } = client;
  return {
    ...server,
    ...defined({
      agents: agents && {
        providers: [...new Set([...agents.providers, ...Object.keys(readProviders(keys))])],
        check: (references: readonly string[], signal?: AbortSignal) => agents.check(references, signal, client),
        taskLimits:
          settings === undefined ? agents.taskLimits : { ...agents.taskLimits, ...toLimits(settings.taskLimits) },
      },
      endpoints: endpoints && keys["RUNPOD_API_KEY"] !== undefined ? withKeys(endpoints, keys) : endpoints,
    }),
  };
}

function toLimits({ runMs = defaultTaskMs, idleMs }: ClientSettings["taskLimits"]): { runMs: number; idleMs?: number } {
  return { runMs, idleMs };
}

function withKeys(endpoints: Endpoints, keys: NonNullable<ClientDefaults["keys"]>): Endpoints {
  return {
    // What is listed must be the same for all: fronts answer for a server that they have not reached yet.
    isUsable: endpoints.isUsable,
    takesAnyId: endpoints.takesAnyId,
    list: () => endpoints.list(),
    health: (name) => endpoints.health(name, keys),
    queueHint: (name) => endpoints.queueHint(name, keys),
    purge: (name) => endpoints.purge(name, keys),
    relay: (name, verb, id) => endpoints.relay(name, verb, id, keys),
    listRemote: () => endpoints.listRemote(keys),
    listWorkers: (name) => endpoints.listWorkers(name, keys),
    workerLogs: (name, query) => endpoints.workerLogs(name, query, keys),
    publicEndpoints: () => endpoints.publicEndpoints(),
  };
}
