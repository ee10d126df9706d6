import type { ClientDefaults } from "../job/client-defaults.ts";
import type { Json } from "../job/json.ts";

type Keys = ClientDefaults["keys"];

/** The endpoints that jobs can run on, as far as operations know them. */
export interface Endpoints {
  /** Whether there is any. */
  readonly isUsable: boolean;
  /** Ids of RunPod endpoints count as names, configured or not. */
  readonly takesAnyId: boolean;
  readonly list: () => readonly EndpointFacts[];
  /** Throws `not_found` for a name that is none, `unavailable` if the platform does not tell. */
  readonly health: (name: string, keys?: Keys) => Promise<EndpointCounts>;
  /** Why a job waits in the endpoint's queue; undefined if nobody tells. */
  readonly queueHint: (name: string, keys?: Keys) => Promise<QueueFacts | undefined>;
  /** Removes what is queued on the platform, and says how much that was. */
  readonly purge: (name: string, keys?: Keys) => Promise<number>;
  /** The platform's own answer about a job of the endpoint by the platform's own id; throws `not_found` if there is none. */
  readonly relay: (name: string, verb: RelayVerb, id: string, keys?: Keys) => Promise<Record<string, Json>>;
  /** The endpoints that the platform lists for the keys that there are, as it describes them. */
  readonly listRemote: (keys?: Keys) => Promise<readonly Record<string, Json>[]>;
  /** `workers` and a `summary` that counts them. */
  readonly listWorkers: (name: string, keys?: Keys) => Promise<Record<string, Json>>;
  readonly workerLogs: (name: string, query: WorkerLogQuery, keys?: Keys) => Promise<WorkerLog>;
  /** Those that the platform runs for everybody. */
  readonly publicEndpoints: () => Promise<readonly PublicEndpointFacts[]>;
}

type RelayVerb = "status" | "stream" | "cancel" | "retry";

export interface WorkerLogQuery {
  readonly workerId: string;
  readonly source?: "container" | "system";
  readonly tail?: number;
  readonly since?: string;
  readonly maxWaitMs: number;
}

interface WorkerLog {
  readonly items: readonly Json[];
  readonly truncated: boolean;
}

export interface PublicEndpointFacts {
  readonly aiApiId: string;
  readonly modelName?: string | null;
  readonly displayName?: string | null;
  readonly description?: string | null;
  /** JSON. */
  readonly metadata?: string | null;
  readonly isLive?: boolean | null;
  readonly createdAt?: string | null;
  readonly updatedAt?: string | null;
}

export interface QueueFacts {
  readonly workers: EndpointCounts["workers"] & { readonly total: number };
  readonly hint: string;
}

export interface EndpointFacts {
  readonly name: string;
  readonly type: "runpod" | "local";
  readonly concurrency: number;
  readonly mode?: "warm" | "per_job";
}

export interface EndpointCounts {
  readonly jobs: Readonly<Record<"completed" | "failed" | "inProgress" | "inQueue" | "retried", number>>;
  readonly workers: Readonly<Record<"idle" | "initializing" | "ready" | "running" | "throttled" | "unhealthy", number>>;
}
