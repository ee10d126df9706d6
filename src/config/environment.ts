import { findPaths, type Paths } from "./paths.ts";

/** What a front needs of its environment; it reads no configuration, which is the server's. */
export interface Environment {
  readonly paths: Paths;
  readonly variable: (name: string) => string | undefined;
  /** For a server that is started in the background: not taken for a process of the job that started it. */
  readonly serverVariables: NodeJS.ProcessEnv;
}

export function readEnvironment(env: NodeJS.ProcessEnv = process.env): Environment {
  const { LONGHAUL_JOB_ID: _job, LONGHAUL_WORKERS_OF: _workers, ...serverVariables } = env;
  return { paths: findPaths(env), variable: (name) => env[name], serverVariables };
}
