import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach } from "vitest";
import { openEngine, type Engine, type Job } from "../../../src/index.ts";
import { createCrawlKind } from "../../../src/kinds/crawl/crawl.ts";
import type { CrawlSettings } from "../../../src/kinds/crawl/crawl-settings.ts";
import { createAddressRules } from "../../../src/net/address/address-rules.ts";
import { createGuardedFetch, type GuardedFetch } from "../../../src/net/fetch/guarded-fetch.ts";
import { createHostGate } from "../../../src/net/fetch/host-gate.ts";
import { createRobots } from "../../../src/net/robots/robots.ts";
import { operations } from "../../../src/operations/registry.ts";
import { TestSite } from "./site.ts";

const workerFile = pathToFileURL(join(import.meta.dirname, "../../../.build/src/kinds/crawl/parse/worker.js"));
const undo: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const step of undo.splice(0).toReversed()) await step();
});

export function later(step: () => Promise<unknown>): void {
  undo.push(step);
}

export async function openSite(options: Parameters<typeof TestSite.open>[0] = {}): Promise<TestSite> {
  const site = await TestSite.open(options);
  later(() => site.close());
  return site;
}

/** A server of the test's own. */
export async function listen(handler: RequestListener): Promise<string> {
  const server = createServer({ keepAliveTimeout: 75_000 }, handler).listen(0, "127.0.0.1");
  await new Promise((resolve) => {
    server.once("listening", resolve);
  });
  later(async () => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

export function localWeb(): GuardedFetch {
  const web = createGuardedFetch({ rules: createAddressRules(["127.0.0.1"]), userAgent: "Longhaul/test" });
  later(() => web.close());
  return web;
}

/** Crawls what is on this machine. */
export function localSettings(): CrawlSettings {
  const web = localWeb();
  return {
    web,
    robots: createRobots(web, { productToken: "Longhaul" }),
    gate: createHostGate({ perHost: 16, minimumDelayMs: 0 }),
    concurrency: 4,
    search: { web },
    retryMs: 5,
    parse: { file: workerFile },
  };
}

export interface CrawlResult {
  readonly status: string;
  readonly pages: number;
  readonly failed: number;
  readonly failures: { readonly url: string; readonly code: string; readonly reason: string }[];
  readonly duplicates: Record<string, unknown>;
  readonly skipped: Record<string, number>;
  readonly stopped_by?: string;
  readonly [field: string]: unknown;
}

export type PageView = Record<string, unknown> & { readonly url: string };

/** An engine that crawls what is on this machine. */
export class CrawlWorld {
  readonly engine: Engine;

  private constructor(engine: Engine) {
    this.engine = engine;
  }

  static async open(settings: Partial<CrawlSettings> = {}): Promise<CrawlWorld> {
    const home = await mkdtemp(join(tmpdir(), "longhaul-crawl-"));
    later(() => rm(home, { recursive: true, force: true }));
    const kind = createCrawlKind({ ...localSettings(), ...settings });
    const engine = await openEngine({ home, kinds: [kind] });
    later(() => engine.stop());
    return new CrawlWorld(engine);
  }

  call<Answer>(name: string, input: object): Promise<Answer> {
    const server = { version: "0", startedAt: 0, home: "", url: undefined };
    const operation = operations.find((known) => known.name === name);
    if (operation === undefined) throw new Error(`there is no operation ${name}`);
    return operation.call({ engine: this.engine, actor: {}, server }, input) as Promise<Answer>;
  }

  /** Runs an operation that starts a job, to the job's end. */
  async run(name: string, input: object): Promise<Job> {
    const { id } = await this.call<{ id: string }>(name, input);
    return this.end(id);
  }

  async end(id: string): Promise<Job> {
    const { isReached, jobs } = await this.engine.wait(id, { timeoutMs: 150_000 });
    const [job] = jobs;
    if (!isReached || job === undefined) throw new Error(`job ${id} did not end: ${JSON.stringify(job?.state)}`);
    return job;
  }

  async result<Result = Record<string, unknown>>(name: string, input: object): Promise<Result> {
    const job = await this.run(name, input);
    if (job.state.status !== "succeeded") throw new Error(JSON.stringify(job.state));
    return (await this.engine.result(job.id)) as Result;
  }

  /** All pages of a crawl, so many at a time. */
  async pages(id: string, fields: readonly string[] = ["url"], limit = 100): Promise<PageView[]> {
    const all: PageView[] = [];
    for (let cursor = 0; ;) {
      const answer = await this.call<{ pages: PageView[]; next: number; is_complete: boolean }>("crawl_pages", {
        id,
        cursor,
        limit,
        fields,
      });
      all.push(...answer.pages);
      if (answer.is_complete || (answer.next === cursor && answer.pages.length === 0)) return all;
      cursor = answer.next;
    }
  }

  async crawl(input: object): Promise<{ id: string; result: CrawlResult; pages: PageView[] }> {
    const job = await this.run("crawl_site", input);
    if (job.state.status !== "succeeded") throw new Error(JSON.stringify(job.state));
    return {
      id: job.id,
      result: (await this.engine.result(job.id)) as CrawlResult,
      pages: await this.pages(job.id, ["url", "title", "markdown", "status", "bytes", "depth", "data"]),
    };
  }
}

/** Which of two twins is kept is a matter of chance. */
export function pathsOf(pages: readonly PageView[]): string[] {
  return pages
    .map(({ url }) => (new URL(url).pathname + new URL(url).search).replace(/^\/(dup|near)\/\d(-\d+)?$/, "/$1/*$2"))
    .toSorted();
}
