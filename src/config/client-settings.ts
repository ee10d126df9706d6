import { resolve } from "node:path";
import { providerVariables, readProviders, readTaskLimits, type AgentConfig, type TaskLimits } from "./agent.ts";
import { readBackgroundJobSettings, type BackgroundJobSettings } from "./background-job.ts";
import { readBroughtRunpod, runpodVariables, type EndpointsConfig } from "./endpoints.ts";
import { profilesIn, type ProfileSet } from "./profiles.ts";

interface ServerSettings {
  readonly backgroundJob: BackgroundJobSettings;
  readonly agent: Pick<AgentConfig, "taskLimits" | "providers">;
  readonly endpoints: Pick<EndpointsConfig, "anyRunpod">;
}

/** The settings that hold for one client: its own, as far as they are no wider than the server's. */
export interface ClientSettings {
  readonly backgroundJob: BackgroundJobSettings;
  readonly taskLimits: TaskLimits;
}

/** Reads what a client of these profiles has set. A bad value is refused with its name. */
export function readClientSettings(
  set: ProfileSet,
  env: NodeJS.ProcessEnv,
  server: ServerSettings,
  cwd: string,
): ClientSettings {
  const { backgroundJob, agent } = server;
  const served = profilesIn(set);
  return {
    backgroundJob: served.includes("background-job") ? narrowBackgroundJob(backgroundJob, env, cwd) : backgroundJob,
    taskLimits: served.includes("mcp-task") ? narrowTaskLimits(agent.taskLimits, env) : agent.taskLimits,
  };
}

function narrowBackgroundJob(
  server: BackgroundJobSettings,
  env: NodeJS.ProcessEnv,
  cwd: string,
): BackgroundJobSettings {
  const client = readBackgroundJobSettings(env);
  return {
    maxJobs: smaller(server.maxJobs, client.maxJobs),
    maxOutputBytes: smaller(server.maxOutputBytes, client.maxOutputBytes),
    jobTimeoutMs: smaller(server.jobTimeoutMs, client.jobTimeoutMs),
    // How often finished jobs are looked for is the server's own business.
    cleanupIntervalMs: server.cleanupIntervalMs,
    allowedCommands: [...server.allowedCommands, ...client.allowedCommands],
    workingDir: client.workingDir === undefined ? server.workingDir : resolve(cwd, client.workingDir),
    // The queue is everybody's, so a limit of one client cannot be kept by waiting in it.
    isStrict: server.isStrict || client.isStrict || client.maxJobs !== undefined,
  };
}

function narrowTaskLimits(server: TaskLimits, env: NodeJS.ProcessEnv): TaskLimits {
  const client = readTaskLimits(env);
  return { runMs: smaller(server.runMs, client.runMs), idleMs: smaller(server.idleMs, client.idleMs) };
}

function smaller(one: number | undefined, other: number | undefined): number | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return Math.min(one, other);
}

/** The keys, and addresses, that a client brings for services that the server cannot use by itself. Refuses addresses that are none. */
export function readBroughtKeys(env: NodeJS.ProcessEnv, { agent, endpoints }: ServerSettings): Record<string, string> {
  const names = [
    ...providerVariables((provider) => !Object.hasOwn(agent.providers, provider)),
    ...(endpoints.anyRunpod === undefined ? runpodVariables : []),
  ];
  const keys = Object.fromEntries(
    names.flatMap((name) => {
      const value = env[name]?.trim() ?? "";
      return value === "" ? [] : [[name, value]];
    }),
  );
  readProviders(keys);
  readBroughtRunpod(keys);
  return keys;
}
