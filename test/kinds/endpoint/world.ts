import { mkdtemp, realpath, rm } from "node:fs/promises";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openEngine, type Engine, type Job, type OpenOptions } from "../../../src/index.ts";
import type { Json } from "../../../src/job/json.ts";
import type { LocalEndpoint } from "../../../src/job/endpoint.ts";
import { EndpointDirectory, type EndpointSettings } from "../../../src/kinds/endpoint/directory.ts";
import { createEndpointKind } from "../../../src/kinds/endpoint/endpoint.ts";
import { AccountReader } from "../../../src/kinds/endpoint/runpod-account.ts";
import { createAddressRules } from "../../../src/net/address/address-rules.ts";
import { createGuardedFetch } from "../../../src/net/fetch/guarded-fetch.ts";
import type { SubmitRequest } from "../../../src/engine/submit.ts";
import { compileSchema } from "../../../src/server/json-schema.ts";
import { createRedactor } from "../../../src/text/redact.ts";
import { FakeRunpod } from "./fake-runpod.ts";
import { useEach } from "../../use-each.ts";

/** Lists nothing: nobody may be asked. */
export const noAccounts = new AccountReader(
  createGuardedFetch({ rules: createAddressRules(), userAgent: "test" }),
  "http://127.0.0.1:1/graphql",
);

export interface EndpointOptions {
  readonly named?: EndpointSettings["named"];
  readonly requestMs?: number;
  readonly giveUpMs?: number;
  readonly pace?: { readonly firstMs: number; readonly maxMs: number };
  readonly engine?: Omit<OpenOptions, "home" | "kinds">;
}

/** An engine that runs jobs on endpoints, in a folder of its own, with a RunPod of its own. */
export class EndpointWorld {
  readonly base: string;
  readonly runpod: FakeRunpod;
  directory: EndpointDirectory | undefined;
  #engine: Engine | undefined;
  #options: EndpointOptions = {};

  constructor(base: string, runpod: FakeRunpod) {
    this.base = base;
    this.runpod = runpod;
  }

  get engine(): Engine {
    if (this.#engine === undefined) throw new Error("open the world first");
    return this.#engine;
  }

  get home(): string {
    return join(this.base, "home");
  }

  path(name: string): string {
    return join(this.base, name);
  }

  async open(options: EndpointOptions = {}): Promise<Engine> {
    this.#options = options;
    const { named = {}, requestMs = 5_000, giveUpMs = 60_000, pace = { firstMs: 10, maxMs: 100 }, engine } = options;
    this.directory = new EndpointDirectory({
      home: this.home,
      named,
      anyRunpod: {
        type: "runpod",
        baseUrl: this.runpod.url,
        apiKey: this.runpod.key,
        restUrl: undefined,
        concurrency: 200,
      },
      env: { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "" },
      fetch: (url, init) => fetch(url, init),
      accounts: noAccounts,
      compileSchema,
      requestMs,
      cancelMs: 500,
    });
    const kind = createEndpointKind({
      directory: this.directory,
      redactor: createRedactor([this.runpod.key]),
      pace: { ...pace, giveUpMs },
    });
    this.#engine = await openEngine({ home: this.home, kinds: [kind], ...engine });
    return this.#engine;
  }

  async close(): Promise<void> {
    await this.#engine?.stop();
    await this.directory?.close();
    this.#engine = undefined;
  }

  async reopen(options = this.#options): Promise<Engine> {
    await this.close();
    return this.open(options);
  }

  submit(endpoint: string, input: Record<string, Json> = {}, request: Partial<SubmitRequest> = {}): Promise<Job> {
    const { input: more, ...rest } = request;
    return this.engine.submit({ kind: "endpoint", input: { endpoint, input, ...(more as object) }, ...rest });
  }

  async end(id: string): Promise<Job> {
    const { isReached, jobs } = await this.engine.wait(id, { timeoutMs: 30_000 });
    const [job] = jobs;
    if (!isReached || job === undefined) throw new Error(`job ${id} did not end: ${JSON.stringify(job?.state)}`);
    return job;
  }

  async run(endpoint: string, input: Record<string, Json> = {}, request: Partial<SubmitRequest> = {}): Promise<Job> {
    return this.end((await this.submit(endpoint, input, request)).id);
  }

  async output(id: string, stream = "stdout"): Promise<string> {
    return Buffer.from((await this.engine.readOutput(id, { stream, limit: 1_000_000 })).bytes).toString();
  }

  /** A local endpoint whose handler is this JavaScript. */
  local(script: string, options: Partial<LocalEndpoint> = {}): LocalEndpoint {
    const file = this.path(`handler-${readdirSync(this.base).length}.mjs`);
    writeFileSync(file, script);
    return {
      type: "local",
      argv: [process.execPath, file],
      cwd: this.base,
      env: {},
      mode: "per_job",
      concurrency: 1,
      timeoutMs: 60_000,
      idleTimeoutMs: undefined,
      keepMs: 60_000,
      inputSchema: undefined,
      ...options,
    };
  }

  async cleanUp(): Promise<void> {
    await this.close();
    await this.runpod.close();
    await rm(this.base, { recursive: true, force: true });
  }
}

export function useEndpoints(): () => EndpointWorld {
  return useEach(
    async () => {
      const base = await realpath(await mkdtemp(join(tmpdir(), "longhaul-endpoint-")));
      return new EndpointWorld(base, await FakeRunpod.start());
    },
    (world) => world.cleanUp(),
  );
}

/** The live processes of a folder's workers, their guards included. */
export function workersOf(home: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => read(`/proc/${pid}/environ`).split("\0").includes(`LONGHAUL_WORKERS_OF=${home}`))
    .filter((pid) => {
      const stat = read(`/proc/${pid}/stat`);
      return stat.slice(stat.lastIndexOf(")") + 2)[0] !== "Z";
    })
    .map(Number);
}

function read(path: string): string {
  try {
    return existsSync(path) ? readFileSync(path, "latin1") : "";
  } catch {
    return "";
  }
}
