import { LonghaulError } from "../../job/error.ts";
import type { Json } from "../../job/json.ts";
import type { Limits } from "../../job/job.ts";
import { hideValues } from "../../text/redact.ts";
import type { EndpointInput } from "./input.ts";
import { endLeftoverWorkers, workersEnv } from "./leftover-workers.ts";
import { QueueHints, toQueueHint, type QueueHint } from "./queue-hint.ts";
import { RemoteError, type EndpointHealth, type RemoteEndpoint } from "./remote-endpoint.ts";
import { openRunpod, type Fetch } from "./runpod.ts";
import { WorkerPool } from "./worker-pool.ts";

export interface RunpodEndpoint {
  readonly type: "runpod";
  readonly endpointId: string;
  readonly baseUrl: string;
  /** Undefined if none is configured: the endpoint then says so when it is used. */
  readonly apiKey: string | undefined;
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

export interface EndpointSettings {
  readonly home: string;
  readonly named: Readonly<Record<string, RunpodEndpoint | LocalEndpoint>>;
  /** For RunPod endpoints that are named by their id alone; undefined without a key. */
  readonly anyRunpod: Omit<RunpodEndpoint, "endpointId"> | undefined;
  /** What workers inherit. */
  readonly env: Readonly<Record<string, string>>;
  readonly fetch: Fetch;
  /** Compiles a JSON Schema; the check says what does not fit, or nothing. */
  readonly compileSchema: (schema: Json) => (value: unknown) => string | undefined;
  readonly requestMs?: number;
  /** How long a job that is told to stop may take before its worker is killed. */
  readonly cancelMs?: number;
}

export type OpenEndpoint =
  | { readonly type: "remote"; readonly remote: RemoteEndpoint; readonly secrets: readonly string[] }
  | { readonly type: "local"; readonly pool: WorkerPool };

const usualCancelMs = 3_000;
const mostOpen = 1_000;

/** The endpoints that jobs can run on: those that are configured, and with a key of RunPod's any of its. */
export class EndpointDirectory {
  readonly #settings: EndpointSettings;
  readonly #open = new Map<string, OpenEndpoint>();
  readonly #checks = new Map<string, (value: unknown) => string | undefined>();
  readonly #hints = new QueueHints();
  #clearing: Promise<void> | undefined;

  /** Throws for a schema that is none. */
  constructor(settings: EndpointSettings) {
    this.#settings = settings;
    for (const [name, endpoint] of Object.entries(settings.named)) {
      if (endpoint.type === "local" && endpoint.inputSchema !== undefined) {
        this.#checks.set(name, settings.compileSchema(endpoint.inputSchema));
      }
    }
  }

  /** Whether there is any endpoint to run jobs on. */
  get isUsable(): boolean {
    return Object.keys(this.#settings.named).length > 0 || this.#settings.anyRunpod !== undefined;
  }

  get takesAnyId(): boolean {
    return this.#settings.anyRunpod !== undefined;
  }

  list(): { name: string; type: "runpod" | "local"; concurrency: number; mode?: "warm" | "per_job" }[] {
    return Object.entries(this.#settings.named).map(([name, endpoint]) => ({
      name,
      type: endpoint.type,
      concurrency: endpoint.concurrency,
      ...(endpoint.type === "local" ? { mode: endpoint.mode } : {}),
    }));
  }

  concurrencies(): Map<string, number> {
    return new Map(this.list().map(({ name, concurrency }) => [name, concurrency]));
  }

  /** Refuses what the endpoint would not take. */
  check({ endpoint: name, input, webhook }: EndpointInput): void {
    const found = this.#find(name);
    if (found.type === "runpod" && found.apiKey === undefined) throw keyless(name);
    if (found.type === "local" && webhook !== undefined) {
      throw new LonghaulError(
        "invalid_input",
        "webhook: a local endpoint has no platform that calls one; give the job a webhook of its own.",
      );
    }
    const problem = this.#checks.get(name)?.(input);
    if (problem !== undefined) {
      throw new LonghaulError("invalid_input", `The input does not fit the schema of endpoint "${name}": ${problem}.`);
    }
  }

  limitsOf({ endpoint: name, policy = {} }: EndpointInput): Partial<Limits> {
    const found = this.#find(name);
    // A platform keeps its own limits, and its queue counts against none of ours.
    if (found.type === "runpod") return {};
    return {
      runMs: policy.executionTimeout ?? found.timeoutMs,
      ...(policy.ttl === undefined ? {} : { totalMs: policy.ttl }),
      ...(found.idleTimeoutMs === undefined ? {} : { idleMs: found.idleTimeoutMs }),
    };
  }

  open(name: string): OpenEndpoint {
    const known = this.#open.get(name);
    if (known !== undefined) return known;
    const opened = this.#openAnew(name, this.#find(name));
    // Ids come from callers: those that are asked for once must not add up.
    if (this.#open.size < mostOpen || Object.hasOwn(this.#settings.named, name)) this.#open.set(name, opened);
    return opened;
  }

  /** RunPod's own shape. A local endpoint's queue is the engine's, which counts it. */
  async health(name: string): Promise<EndpointHealth> {
    const opened = this.open(name);
    if (opened.type === "remote") return told(opened, opened.remote.health());
    const { pool } = opened;
    const workers = pool.workers();
    const jobs = { ...pool.counts(), inProgress: workers.running, inQueue: 0, retried: 0 };
    return { jobs, workers };
  }

  async queueHint(name: string): Promise<QueueHint | undefined> {
    const opened = this.open(name);
    if (opened.type === "local") return toQueueHint(opened.pool.workers());
    return this.#hints.get(name, () => opened.remote.health());
  }

  /** Removes what is queued on the platform; a local endpoint has no queue but ours. */
  async purge(name: string): Promise<number> {
    const opened = this.open(name);
    return opened.type === "remote" ? told(opened, opened.remote.purge()) : 0;
  }

  async close(): Promise<void> {
    const pools = [...this.#open.values()].flatMap((opened) => (opened.type === "local" ? [opened.pool] : []));
    await Promise.all(pools.map((pool) => pool.close()));
  }

  #find(name: string): RunpodEndpoint | LocalEndpoint {
    const { named, anyRunpod } = this.#settings;
    const found = Object.hasOwn(named, name) ? named[name] : undefined;
    if (found !== undefined) return found;
    if (anyRunpod !== undefined) return { ...anyRunpod, endpointId: name };
    const names = Object.keys(named);
    const known = names.length === 0 ? "none is configured" : `known are ${names.join(", ")}`;
    throw new LonghaulError(
      "not_found",
      `There is no endpoint "${name}": ${known}. Add it to "endpoints" in config.json, or set RUNPOD_API_KEY to use any RunPod endpoint by its id.`,
    );
  }

  #openAnew(name: string, found: RunpodEndpoint | LocalEndpoint): OpenEndpoint {
    const { fetch, requestMs, home, env, cancelMs = usualCancelMs } = this.#settings;
    if (found.type === "runpod") {
      const { baseUrl, endpointId, apiKey } = found;
      if (apiKey === undefined) throw keyless(name);
      const pace = requestMs === undefined ? {} : { requestMs };
      return { type: "remote", remote: openRunpod({ baseUrl, endpointId, apiKey, fetch, ...pace }), secrets: [apiKey] };
    }
    const pool = new WorkerPool({
      command: {
        argv: found.argv,
        cwd: found.cwd,
        env: { ...env, PWD: found.cwd, ...found.env, LONGHAUL_ENDPOINT: name, ...workersEnv(home) },
      },
      isWarm: found.mode === "warm",
      keepMs: found.keepMs,
      cancelMs,
      isClear: () => (this.#clearing ??= endLeftoverWorkers(home)),
    });
    return { type: "local", pool };
  }
}

/** What a platform did not answer, said to the caller. */
function told<Answer>({ secrets }: { secrets: readonly string[] }, asking: Promise<Answer>): Promise<Answer> {
  return asking.catch((error: unknown) => {
    if (!(error instanceof RemoteError)) throw error;
    const details = error.status === undefined ? {} : { status: error.status };
    throw new LonghaulError("unavailable", hideValues(secrets)(error.message), { details, cause: error });
  });
}

function keyless(name: string): LonghaulError {
  return new LonghaulError(
    "invalid_input",
    `Endpoint "${name}" has no API key: give it api_key or api_key_env, or set RUNPOD_API_KEY.`,
  );
}
