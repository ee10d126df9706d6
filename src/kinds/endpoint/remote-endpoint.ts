import type { Json } from "../../job/json.ts";
import type { EndpointInput } from "./contract.ts";

export type RemoteStatus = "IN_QUEUE" | "IN_PROGRESS" | "COMPLETED" | "FAILED" | "CANCELLED" | "TIMED_OUT";

/** A remote job as its platform tells of it. */
export interface RemoteSnapshot {
  readonly status: RemoteStatus;
  /** The result; while the job is in progress, what its worker last said of it. */
  readonly output?: Json;
  readonly error?: Json;
  readonly delayMs?: number;
  readonly executionMs?: number;
  readonly worker?: string;
}

export interface WorkerCounts {
  readonly idle: number;
  readonly initializing: number;
  readonly ready: number;
  readonly running: number;
  readonly throttled: number;
  readonly unhealthy: number;
}

export interface EndpointHealth {
  readonly jobs: {
    readonly completed: number;
    readonly failed: number;
    readonly inProgress: number;
    readonly inQueue: number;
    readonly retried: number;
  };
  readonly workers: WorkerCounts;
}

/** RunPod's own request. */
export type RemoteRequest = Pick<EndpointInput, "input" | "policy" | "s3Config"> & { readonly webhook?: string };

/** What can be asked of a job by its platform's own id. */
export type RelayVerb = "status" | "stream" | "cancel" | "retry";

export interface Chunks {
  readonly chunks: readonly Json[];
  /** The platform has heeded how many we hold, and these are the ones that follow. */
  readonly isSequel: boolean;
}

/**
 * A platform that runs jobs elsewhere. Every call has a deadline of its own and throws a RemoteError; a platform is one
 * file that implements this.
 */
export interface RemoteEndpoint {
  /** Resolves with the platform's id of the new job. Not to be called twice for the same job. */
  readonly submit: (request: RemoteRequest) => Promise<string>;
  readonly status: (id: string, signal: AbortSignal) => Promise<RemoteSnapshot>;
  /** The chunks that have come since they were last asked for; `have` is how many we hold, if we know. */
  readonly takeChunks: (id: string, have: number | undefined, signal: AbortSignal) => Promise<Chunks>;
  readonly cancel: (id: string) => Promise<RemoteStatus>;
  /** Runs a job that did not succeed again, under the same id. */
  readonly retry: (id: string) => Promise<void>;
  /** The platform's own answer about any job of the endpoint, whoever submitted it. */
  readonly relay: (verb: RelayVerb, id: string, signal?: AbortSignal) => Promise<Record<string, Json>>;
  readonly health: () => Promise<EndpointHealth>;
  /** Removes all queued jobs, and says how many. */
  readonly purge: () => Promise<number>;
}

/**
 * What a failed call has done: `nothing` (it was refused, or never reached the platform), or nobody knows.
 */
export type RemoteEffect = "nothing" | "unknown";

interface RemoteErrorFacts {
  readonly status?: number;
  readonly effect: RemoteEffect;
  readonly retryAfterMs?: number;
  readonly body?: string;
  readonly isTooLarge?: boolean;
  readonly cause?: unknown;
}

export class RemoteError extends Error {
  override readonly name = "RemoteError";
  /** The HTTP status; undefined if there was no answer. */
  readonly status: number | undefined;
  readonly effect: RemoteEffect;
  readonly retryAfterMs: number | undefined;
  /** What the platform said, as it said it; cut if it is long. */
  readonly body: string | undefined;
  /** The answer is larger than we take: asking again brings the same. */
  readonly isTooLarge: boolean;

  constructor(message: string, facts: RemoteErrorFacts) {
    super(message, { cause: facts.cause });
    this.status = facts.status;
    this.effect = facts.effect;
    this.retryAfterMs = facts.retryAfterMs;
    this.body = facts.body;
    this.isTooLarge = facts.isTooLarge ?? false;
  }

  /** Asking again later may help. */
  get isPassing(): boolean {
    return this.status === undefined || this.status === 408 || this.status === 429 || this.status >= 500;
  }
}

export function isFinal(status: RemoteStatus): boolean {
  return status !== "IN_QUEUE" && status !== "IN_PROGRESS";
}
