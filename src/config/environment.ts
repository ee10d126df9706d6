import { findPaths, type Paths } from "./paths.ts";

/** What a front needs of its environment; it reads no configuration, which is the server's. */
export interface Environment {
  readonly paths: Paths;
  readonly variable: (name: string) => string | undefined;
  /** For a server that is started in the background: not taken for a process of the job that started it. */
  readonly serverVariables: NodeJS.ProcessEnv;
  /** Where a caller stands, for the jobs that it starts. Without a folder if its own is gone. */
  readonly clientContext: () => { readonly cwd?: string; readonly env: Readonly<Record<string, string>> };
}

/** Settings of a client, which hold for what it does itself: a server that it happens to start is everybody's. */
const clientSettings = /^(MCP_BG_\w+|TASK_TIMEOUT|TASK_STUCK_THRESHOLD|ENV_FILE)$/;

/** What marks the processes of a job, and lets them act on it. */
const jobVariables = /^LONGHAUL_(JOB_\w+|WORKERS_OF|NODE)$/;

export function readEnvironment(): Environment {
  const { env } = process;
  const serverVariables = Object.fromEntries(Object.entries(env).filter(([name]) => !jobVariables.test(name)));
  return { paths: findPaths(env), variable: (name) => env[name], serverVariables, clientContext: () => standing(env) };
}

export function withoutClientSettings(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !clientSettings.test(name)));
}

function standing(variables: NodeJS.ProcessEnv): ReturnType<Environment["clientContext"]> {
  const env = Object.fromEntries(
    Object.entries(variables).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
  try {
    return { cwd: process.cwd(), env };
  } catch {
    return { env };
  }
}
