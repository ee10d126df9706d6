import { defined } from "../../job/defined.ts";
import type { AnyRunpod, Endpoint, LocalEndpoint, RunpodEndpoint } from "../../job/endpoint.ts";
import { LonghaulError } from "../../job/error.ts";
import type { Json } from "../../job/json.ts";
import type { Limits } from "../../job/job.ts";
import { hideValues } from "../../text/known-values.ts";
import type { EndpointInput } from "./contract.ts";
import type { AccountReader, LogLines, LogQuery, PublicEndpoint, RunpodAccount } from "./runpod-account.ts";
import { endLeftoverWorkers, WorkerPool, workersEnv } from "./worker-pool.ts";
import { QueueHints, toQueueHint, type CountedWorkers, type QueueHint } from "./queue-hint.ts";
import { RemoteError, type EndpointHealth, type RelayVerb, type RemoteEndpoint } from "./remote-endpoint.ts";
import { openRunpod, type Fetch } from "./runpod.ts";

/** What a client brings, by the names of the variables. */
type Keys = Readonly<Record<string, string>>;

export interface EndpointSettings {
  readonly home: string;
  readonly named: Readonly<Record<string, Endpoint>>;
  /** Local endpoints that have come into the configuration since it was last asked; undefined if it has not changed. */
  readonly readAdded?: () => Readonly<Record<string, LocalEndpoint>> | undefined;
  /** Undefined without a key. */
  readonly anyRunpod: AnyRunpod | undefined;
  /** RunPod as a client's own key makes it usable; undefined if it brings none. */
  readonly readBroughtRunpod?: (keys: Keys) => AnyRunpod | undefined;
  /** What workers inherit. */
  readonly env: Readonly<Record<string, string>>;
  readonly fetch: Fetch;
  /** The way to the platform's lists. */
  readonly accounts: AccountReader;
  /** Compiles a JSON Schema; the check says what does not fit, or nothing. */
  readonly compileSchema: (schema: Json) => (value: unknown) => string | undefined;
  readonly requestMs?: number;
  /** How long a job that is told to stop may take before its worker is killed. */
  readonly cancelMs?: number;
}

export type OpenEndpoint =
  | {
      readonly type: "remote";
      readonly remote: RemoteEndpoint;
      readonly endpointId: string;
      /** Undefined where the platform is not known to list its workers. */
      readonly account: RunpodAccount | undefined;
      readonly secrets: readonly string[];
    }
  | { readonly type: "local"; readonly pool: WorkerPool };

const defaultCancelMs = 3_000;
const maxOpen = 1_000;

/** The endpoints that jobs can run on: those that are configured, and with a key of RunPod's any of its. */
export class EndpointDirectory {
  readonly #settings: EndpointSettings;
  readonly #named: Record<string, Endpoint>;
  readonly #concurrencies = new Map<string, number>();
  readonly #open = new Map<string, OpenEndpoint>();
  readonly #checks = new Map<string, (value: unknown) => string | undefined>();
  readonly #hints = new QueueHints();
  #clearing: Promise<void> | undefined;

  /** Throws for a schema that is none. */
  constructor(settings: EndpointSettings) {
    this.#settings = settings;
    this.#named = { ...settings.named };
    for (const [name, { concurrency }] of Object.entries(this.#named)) this.#concurrencies.set(name, concurrency);
    for (const [name, endpoint] of Object.entries(settings.named)) {
      if (endpoint.type === "local" && endpoint.inputSchema !== undefined) {
        this.#checks.set(name, settings.compileSchema(endpoint.inputSchema));
      }
    }
  }

  /** Whether there is any endpoint to run jobs on. */
  get isUsable(): boolean {
    return Object.keys(this.#known()).length > 0 || this.#settings.anyRunpod !== undefined;
  }

  get takesAnyId(): boolean {
    return this.#settings.anyRunpod !== undefined;
  }

  list(): { name: string; type: "runpod" | "local"; concurrency: number; mode?: "warm" | "per_job" }[] {
    return Object.entries(this.#known()).map(([name, endpoint]) => ({
      name,
      type: endpoint.type,
      concurrency: endpoint.concurrency,
      ...(endpoint.type === "local" ? { mode: endpoint.mode } : {}),
    }));
  }

  /** Grows with the endpoints. */
  concurrencies(): ReadonlyMap<string, number> {
    return this.#concurrencies;
  }

  /** What is already there stays as it is until the server is restarted: its workers run. */
  #known(): Readonly<Record<string, Endpoint>> {
    for (const [name, endpoint] of Object.entries(this.#settings.readAdded?.() ?? {})) {
      if (Object.hasOwn(this.#named, name)) continue;
      this.#named[name] = endpoint;
      this.#concurrencies.set(name, endpoint.concurrency);
    }
    return this.#named;
  }

  /** Refuses what the endpoint would not take. */
  check({ endpoint: name, input, platform_webhook: webhook }: EndpointInput, keys: Keys = {}): void {
    const found = this.#find(name, keys);
    if (found.type === "runpod" && found.apiKey === undefined) throw keyless(name);
    if (found.type === "local" && webhook !== undefined) {
      throw new LonghaulError(
        "invalid_input",
        "platform_webhook is only for remote endpoints, whose platform calls it: give the job a webhook of its own.",
      );
    }
    const problem = this.#checks.get(name)?.(input);
    if (problem !== undefined) {
      throw new LonghaulError("invalid_input", `The input does not fit the schema of endpoint "${name}": ${problem}.`);
    }
  }

  limitsOf({ endpoint: name, policy = {} }: EndpointInput): Partial<Limits> {
    const found = Object.hasOwn(this.#named, name) ? this.#named[name] : undefined;
    // A platform keeps its own limits, and its queue counts against none of ours.
    if (found === undefined || found.type === "runpod") return {};
    return {
      runMs: policy.executionTimeout ?? found.timeoutMs,
      totalMs: policy.ttl,
      idleMs: found.idleTimeoutMs,
    };
  }

  open(name: string, keys: Keys = {}): OpenEndpoint {
    const known = this.#open.get(name);
    if (known !== undefined) return known;
    const found = this.#find(name, keys);
    const opened = this.#openAnew(name, found);
    // Another client has another key, or none.
    if (found.type === "runpod" && !this.#isOwn(found)) return opened;
    // Ids come from callers: those that are asked for once must not add up.
    if (this.#open.size < maxOpen || Object.hasOwn(this.#named, name)) this.#open.set(name, opened);
    return opened;
  }

  /** RunPod's own shape. A local endpoint's queue is the engine's, which counts it. */
  async health(name: string, keys?: Keys): Promise<EndpointHealth> {
    const opened = this.open(name, keys);
    if (opened.type === "remote") return told(opened, opened.remote.health());
    const { pool } = opened;
    const workers = pool.workers();
    const jobs = { ...pool.counts(), inProgress: workers.running, inQueue: 0, retried: 0 };
    return { jobs, workers };
  }

  async queueHint(name: string, keys?: Keys): Promise<QueueHint | undefined> {
    const opened = this.open(name, keys);
    if (opened.type === "local") return toQueueHint(opened.pool.workers());
    const { remote, account } = opened;
    const fromHealth = async (): Promise<CountedWorkers> => (await remote.health()).workers;
    const count =
      account === undefined
        ? fromHealth
        : (): Promise<CountedWorkers> =>
            this.#settings.accounts.countWorkers(account, opened.endpointId).catch(fromHealth);
    // Whoever has another key is told of other workers.
    return this.#hints.get([name, ...opened.secrets].join(" "), count);
  }

  /** What the platform says of a job of the endpoint, whoever submitted it; not_found if there is no platform. */
  async relay(name: string, verb: RelayVerb, id: string, keys?: Keys): Promise<Record<string, Json>> {
    const opened = this.open(name, keys);
    if (opened.type === "local") throw new LonghaulError("not_found", `There is no job ${id} of endpoint ${name}.`);
    return told(opened, opened.remote.relay(verb, id));
  }

  /** The endpoints that the platform lists for the keys that there are. */
  async listRemote(keys: Keys = {}): Promise<Record<string, Json>[]> {
    const { named, anyRunpod, readBroughtRunpod, accounts } = this.#settings;
    const known = [anyRunpod ?? readBroughtRunpod?.(keys), ...Object.values(named)].flatMap(accountsOf);
    const distinct = known.filter((one, index) => index === known.findIndex((other) => isSame(one, other)));
    const lists = distinct.map((account) => told({ secrets: [account.apiKey] }, accounts.endpoints(account)));
    return (await Promise.all(lists)).flat();
  }

  async listWorkers(name: string, keys?: Keys): Promise<Record<string, Json>> {
    const opened = this.open(name, keys);
    if (opened.type === "remote") {
      return told(opened, this.#settings.accounts.workers(accountOf(opened, name), opened.endpointId));
    }
    return { workers: opened.pool.list(), summary: { ...toQueueHint(opened.pool.workers()).workers } };
  }

  async workerLogs(name: string, query: LogQuery, keys?: Keys): Promise<LogLines> {
    const opened = this.open(name, keys);
    if (opened.type === "remote") {
      return told(opened, this.#settings.accounts.workerLogs(accountOf(opened, name), opened.endpointId, query));
    }
    throw new LonghaulError(
      "invalid_input",
      `Endpoint "${name}" is local: what its workers write is in the output of their jobs (longhaul logs ID).`,
    );
  }

  publicEndpoints(): Promise<readonly PublicEndpoint[]> {
    return told({ secrets: [] }, this.#settings.accounts.publicEndpoints());
  }

  /** Removes what is queued on the platform; a local endpoint has no queue but ours. */
  async purge(name: string, keys?: Keys): Promise<number> {
    const opened = this.open(name, keys);
    return opened.type === "remote" ? told(opened, opened.remote.purge()) : 0;
  }

  async close(): Promise<void> {
    const pools = [...this.#open.values()].flatMap((opened) => (opened.type === "local" ? [opened.pool] : []));
    await Promise.all(pools.map((pool) => pool.close()));
  }

  #isOwn({ apiKey }: RunpodEndpoint): boolean {
    return [...Object.values(this.#named), this.#settings.anyRunpod].some(
      (own) => own?.type === "runpod" && own.apiKey === apiKey,
    );
  }

  /** A client's key is used only where there is none of our own. */
  #find(name: string, keys: Keys): Endpoint {
    const { anyRunpod, readBroughtRunpod } = this.#settings;
    const named = Object.hasOwn(this.#named, name) ? this.#named : this.#known();
    const found = Object.hasOwn(named, name) ? named[name] : undefined;
    const brought = readBroughtRunpod?.(keys);
    if (found?.type === "runpod" && found.apiKey === undefined) return { ...found, apiKey: brought?.apiKey };
    if (found !== undefined) return found;
    const any = anyRunpod ?? brought;
    if (any !== undefined) return { ...any, endpointId: name };
    const names = Object.keys(named);
    const known = names.length === 0 ? "none is configured" : `known are ${names.join(", ")}`;
    throw new LonghaulError(
      "not_found",
      `There is no endpoint "${name}": ${known}. Add it to "endpoints" in config.json, or set RUNPOD_API_KEY to use any RunPod endpoint by its id.`,
    );
  }

  #openAnew(name: string, found: Endpoint): OpenEndpoint {
    const { fetch, requestMs, home, env, cancelMs = defaultCancelMs } = this.#settings;
    if (found.type === "runpod") {
      const { baseUrl, endpointId, apiKey } = found;
      if (apiKey === undefined) throw keyless(name);
      const pace = requestMs === undefined ? {} : { requestMs };
      const remote = openRunpod({ baseUrl, endpointId, apiKey, fetch, ...pace });
      const [account] = accountsOf(found);
      return { type: "remote", remote, endpointId, account, secrets: [apiKey] };
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

function accountsOf(endpoint: Endpoint | AnyRunpod | undefined): RunpodAccount[] {
  if (endpoint?.type !== "runpod") return [];
  const { apiKey, restUrl } = endpoint;
  return apiKey === undefined || restUrl === undefined ? [] : [{ apiKey, restUrl }];
}

function isSame(one: RunpodAccount, other: RunpodAccount): boolean {
  return one.apiKey === other.apiKey && one.restUrl === other.restUrl;
}

function accountOf({ account }: { account: RunpodAccount | undefined }, name: string): RunpodAccount {
  if (account !== undefined) return account;
  throw new LonghaulError(
    "invalid_input",
    `Where the platform of endpoint "${name}" lists its workers is not known: set RUNPOD_API_BASE_URL, or api_base_url of the endpoint.`,
  );
}

/** What a platform says or refuses, told to the caller without the key. */
async function told<Answer>({ secrets }: { secrets: readonly string[] }, asking: Promise<Answer>): Promise<Answer> {
  const hide = hideValues(secrets);
  try {
    const answer = await asking;
    const text = JSON.stringify(answer);
    const shown = hide(text);
    return shown === text ? answer : (JSON.parse(shown) as Answer);
  } catch (error) {
    if (!(error instanceof RemoteError)) throw error;
    const { status, body, retryAfterMs } = error;
    const code = status === 404 ? "not_found" : status === 400 || status === 422 ? "invalid_input" : "unavailable";
    const details = defined({
      status,
      body: body === undefined ? undefined : hide(body),
      retry_after_ms: retryAfterMs,
    });
    throw new LonghaulError(code, hide(error.message), { details, cause: error });
  }
}

function keyless(name: string): LonghaulError {
  return new LonghaulError(
    "invalid_input",
    `Endpoint "${name}" has no API key: give it api_key or api_key_env, or set RUNPOD_API_KEY.`,
  );
}
