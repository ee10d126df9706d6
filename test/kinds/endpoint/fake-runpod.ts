import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { answerRest, createFakeAccount, streamLogs, type FakeAccount } from "./fake-account.ts";

export interface FakeJob {
  readonly id: string;
  readonly body: Record<string, unknown>;
  status: string;
  output?: unknown;
  error?: unknown;
  /** Not yet taken from its stream. */
  chunks: unknown[];
  cancels: number;
  retries: number;
  /** Answers 404 to everything from now on. */
  isGone: boolean;
}

type Fault = (request: IncomingMessage, response: ServerResponse, job: FakeJob | undefined) => boolean;

const finals = new Set(["COMPLETED", "FAILED", "CANCELLED", "TIMED_OUT"]);

/** A server that behaves like RunPod's: tests move its jobs from state to state, and give it faults. */
export class FakeRunpod {
  readonly key = "rpa_THISISTHEKEY0123456789";
  readonly jobs = new Map<string, FakeJob>();
  readonly requests: string[] = [];
  readonly #server: Server;
  /** What happens to a job as soon as it is submitted. */
  onSubmit: (job: FakeJob) => void = () => undefined;
  /** May answer instead of the server: true if it has. Called before anything is done. */
  fault: Fault = () => false;
  /** The same, called after the request has had its effect. */
  lateFault: Fault = () => false;
  workers: Record<string, number> = { idle: 1, running: 0 };
  account: FakeAccount = createFakeAccount();
  /** How long an answer takes. */
  latencyMs: () => number = () => 0;
  /** Tells all chunks again every time, as a platform that does not drain would. */
  isRepeating = false;
  #count = 0;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(): Promise<FakeRunpod> {
    const server = createServer({ keepAliveTimeout: 75_000 });
    const fake = new FakeRunpod(server);
    server.on("request", (request: IncomingMessage, response: ServerResponse) => void fake.#serve(request, response));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return fake;
  }

  get url(): string {
    return `${this.#origin}/v2`;
  }

  /** What a server is told of where RunPod is. */
  get variables(): Record<string, string> {
    return {
      RUNPOD_API_KEY: this.key,
      RUNPOD_SERVERLESS_API_URL: this.url,
      RUNPOD_API_BASE_URL: `${this.#origin}/rest`,
      RUNPOD_PUBLIC_GRAPHQL_URL: `${this.#origin}/graphql`,
    };
  }

  get #origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get submissions(): number {
    return this.#count;
  }

  only(): FakeJob {
    const [job] = this.jobs.values();
    if (job === undefined || this.jobs.size !== 1) throw new Error(`there are ${this.jobs.size} jobs`);
    return job;
  }

  count(verb: string): number {
    return this.requests.filter((request) => request.includes(`/${verb}`)).length;
  }

  /** A job that somebody else has submitted. */
  add(id: string, job: Partial<FakeJob> = {}): FakeJob {
    return Object.assign(this.#create(id, { input: {} }), job);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname: path, searchParams: query } = new URL(request.url ?? "", "http://x");
    this.requests.push(`${request.method} ${path}`);
    const [, , , verb = "", id = ""] = path.split("/");
    const pieces: Buffer[] = [];
    for await (const piece of request as AsyncIterable<Buffer>) pieces.push(piece);
    const text = Buffer.concat(pieces).toString();
    const known = this.jobs.get(id);
    await new Promise((resolve) => setTimeout(resolve, this.latencyMs()));
    if (this.fault(request, response, known)) return;
    if (path === "/graphql") {
      return reply(response, 200, { data: { allAiApiPublicConfigs: this.account.publicEndpoints } });
    }
    if (request.headers.authorization !== `Bearer ${this.key}`) {
      return reply(response, 401, { error: `unauthorized: ${request.headers.authorization ?? ""}` });
    }
    if (path.startsWith("/rest/")) {
      if (path.endsWith("/logs")) return streamLogs(this.account, query, response);
      const found = answerRest(this.account, path);
      return reply(response, found === undefined ? 404 : 200, found ?? { error: "not found" });
    }
    if (verb === "stream" && known !== undefined && (await isGoneBeforeNews(known, query, response))) return;
    const [status, body] = verb === "runsync" ? await this.#runSync(text, query) : this.#answer(verb, known, text);
    await new Promise((resolve) => setTimeout(resolve, this.latencyMs()));
    if (this.lateFault(request, response, known)) return;
    reply(response, status, body);
  }

  async #runSync(text: string, query: URLSearchParams): Promise<[number, unknown]> {
    const { id } = this.#submit(JSON.parse(text) as Record<string, unknown>);
    const job = this.jobs.get(id) as FakeJob;
    await hold(() => finals.has(job.status), Number(query.get("wait") ?? 90_000));
    return finals.has(job.status) ? this.#answerJob("status", job) : [200, { id, status: job.status }];
  }

  #answer(verb: string, job: FakeJob | undefined, text: string): [number, unknown] {
    if (verb === "run") return [200, this.#submit(JSON.parse(text) as Record<string, unknown>)];
    if (verb === "health") {
      const all = [...this.jobs.values()];
      const count = (status: string): number => all.filter((one) => one.status === status).length;
      const jobs = { completed: count("COMPLETED"), failed: count("FAILED"), inProgress: count("IN_PROGRESS") };
      return [200, { jobs: { ...jobs, inQueue: count("IN_QUEUE"), retried: 0 }, workers: this.workers }];
    }
    if (verb === "purge-queue") {
      const queued = [...this.jobs.values()].filter(({ status }) => status === "IN_QUEUE");
      for (const one of queued) one.status = "CANCELLED";
      return [200, { removed: queued.length, status: "completed" }];
    }
    if (job === undefined || job.isGone) return [404, { error: "job not found" }];
    return this.#answerJob(verb, job);
  }

  #answerJob(verb: string, job: FakeJob): [number, unknown] {
    const { id } = job;
    if (verb === "cancel") {
      job.cancels += 1;
      if (!finals.has(job.status)) job.status = "CANCELLED";
      return [200, { id, status: job.status }];
    }
    if (verb === "retry") {
      if (job.status !== "FAILED" && job.status !== "TIMED_OUT") return [400, { error: "job cannot be retried" }];
      job.retries += 1;
      job.status = "IN_QUEUE";
      job.error = undefined;
      return [200, { id, status: "IN_QUEUE" }];
    }
    if (verb === "stream") {
      const stream = this.isRepeating ? [...job.chunks] : job.chunks.splice(0);
      return [200, { status: job.status, stream }];
    }
    const isTimed = finals.has(job.status) && job.status !== "CANCELLED";
    const times = isTimed ? { delayTime: 12, executionTime: 34, workerId: "w1" } : {};
    const { status, output, error } = job;
    return [200, { id, status, ...times, output, error }];
  }

  #submit(body: Record<string, unknown>): { id: string; status: string } {
    const job = this.#create(`remote-${++this.#count}-u1`, body);
    this.onSubmit(job);
    return { id: job.id, status: "IN_QUEUE" };
  }

  #create(id: string, body: Record<string, unknown>): FakeJob {
    const job: FakeJob = { id, body, status: "IN_QUEUE", chunks: [], cancels: 0, retries: 0, isGone: false };
    this.jobs.set(id, job);
    return job;
  }
}

/** Waits until there are chunks. Who has hung up meanwhile is given none: they would be lost. */
async function isGoneBeforeNews(job: FakeJob, query: URLSearchParams, response: ServerResponse): Promise<boolean> {
  let isGone = false;
  response.once("close", () => (isGone = true));
  const isReady = (): boolean => job.isGone || job.chunks.length > 0 || finals.has(job.status);
  await hold(() => isGone || isReady(), Number(query.get("wait") ?? 10_000));
  return isGone;
}

/** As the platform holds a request until there is something to say. */
async function hold(isReady: () => boolean, maxMs: number): Promise<void> {
  const endsAt = performance.now() + maxMs;
  while (!isReady() && performance.now() < endsAt) await delay(5);
}

export function reply(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(typeof body === "string" ? body : JSON.stringify(body));
}
