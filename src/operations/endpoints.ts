import type { ClientDefaults } from "../job/client-defaults.ts";

/** The endpoints that jobs can run on, as far as operations know them. */
export interface Endpoints {
  /** Whether there is any. */
  readonly isUsable: boolean;
  /** Ids of RunPod endpoints count as names, configured or not. */
  readonly takesAnyId: boolean;
  readonly list: () => readonly EndpointFacts[];
  /** Throws `not_found` for a name that is none, `unavailable` if the platform does not tell. */
  readonly health: (name: string, keys?: ClientDefaults["keys"]) => Promise<EndpointCounts>;
  /** Why a job waits in the endpoint's queue; undefined if nobody tells. */
  readonly queueHint: (name: string, keys?: ClientDefaults["keys"]) => Promise<QueueFacts | undefined>;
  /** Removes what is queued on the platform, and says how much that was. */
  readonly purge: (name: string, keys?: ClientDefaults["keys"]) => Promise<number>;
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
