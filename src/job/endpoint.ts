import type { Json } from "./json.ts";

export interface RunpodEndpoint {
  readonly type: "runpod";
  readonly endpointId: string;
  readonly baseUrl: string;
  /** Undefined if none is configured: the endpoint then says so when it is used. */
  readonly apiKey: string | undefined;
  /** Of the API that lists endpoints and workers; undefined where the platform is not known to have one. */
  readonly restUrl: string | undefined;
  readonly concurrency: number;
}

export interface LocalEndpoint {
  readonly type: "local";
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly mode: "warm" | "per_job";
  readonly concurrency: number;
  readonly timeoutMs: number;
  readonly idleTimeoutMs: number | undefined;
  readonly keepMs: number;
  /** A JSON Schema. */
  readonly inputSchema: Json | undefined;
}

/** Where endpoint jobs can run, as the configuration names it. */
export type Endpoint = RunpodEndpoint | LocalEndpoint;

/** RunPod with a key: any of its endpoints can be named by its id. */
export type AnyRunpod = Omit<RunpodEndpoint, "endpointId">;
