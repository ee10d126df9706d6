import { rm, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll } from "vitest";
import type { z } from "zod";
import { openEngine, type Engine } from "../../../src/index.ts";
import { pageContract, type PageAnalysis } from "../../../src/kinds/page/contract.ts";
import { createPageKind, type PageSettings } from "../../../src/kinds/page/page.ts";
import { createAddressRules } from "../../../src/net/address/address-rules.ts";
import { startBrowserProxy, type BrowserProxy } from "../../../src/net/proxy/browser-proxy.ts";
import { findBrowser } from "../../../src/net/browser/find-browser.ts";
import { SharedBrowser } from "../../../src/net/browser/shared-browser.ts";
import { createGuardedFetch } from "../../../src/net/fetch/guarded-fetch.ts";
import { createRobots } from "../../../src/net/robots/robots.ts";
import type { BrowserSteps } from "../../../src/kinds/page/steps.ts";

const threads = "../../../.build/src/kinds/page/static/static-thread.js";

/** An input of a page job. */
export type PageRequest = z.input<typeof pageContract.input>;

export const hasBrowser = findBrowser({ searchPath: process.env["PATH"] ?? "" }) !== undefined;

/** An engine that analyses pages of this machine, in one browser for all tests of the file. */
export class PageWorld {
  readonly home: string;
  readonly engine: Engine;
  readonly browser: SharedBrowser;
  readonly #close: () => Promise<void>;

  private constructor(home: string, engine: Engine, browser: SharedBrowser, close: () => Promise<void>) {
    this.home = home;
    this.engine = engine;
    this.browser = browser;
    this.#close = close;
  }

  static async open(
    options: {
      executable?: string;
      steps?: BrowserSteps;
      home?: string;
      allow?: string[];
      hungMs?: number;
      keep?: PageSettings["keep"];
    } = {},
  ): Promise<PageWorld> {
    const home = options.home ?? (await mkdtemp(join(tmpdir(), "longhaul-page-")));
    const rules = createAddressRules(options.allow ?? ["127.0.0.1"]);
    const guarded = createGuardedFetch({ rules, userAgent: "Longhaul/test" });
    let proxy: Promise<BrowserProxy> | undefined;
    const browser = new SharedBrowser({
      folder: join(home, "browser"),
      searchPath: process.env["PATH"] ?? "",
      sandbox: false,
      maxPages: 2,
      proxy: () =>
        (proxy ??= startBrowserProxy({ rules, connectTimeoutMs: 5_000, idleTimeoutMs: 5_000, maxConnections: 200 })),
      executable: options.executable,
      hungMs: options.hungMs,
    });
    const settings: PageSettings = {
      browser,
      rules,
      fetch: guarded.fetch,
      robots: createRobots(guarded, { productToken: "Longhaul" }),
      concurrency: 2,
      steps: options.steps,
      ...(options.keep === undefined ? {} : { keep: options.keep }),
      staticThread: pathToFileURL(join(import.meta.dirname, threads)),
    };
    const engine = await openEngine({ home, kinds: [createPageKind(settings)] });
    return new PageWorld(home, engine, browser, async () => {
      await engine.stop();
      await browser.close();
      await (await proxy)?.close();
      await guarded.close();
      if (options.home === undefined) await rm(home, { recursive: true, force: true });
    });
  }

  close(): Promise<void> {
    return this.#close();
  }

  /** Analyses a page and answers with what was found; fails with the job's own failure. */
  async analyze(input: PageRequest): Promise<PageAnalysis> {
    const job = await this.engine.submit({ kind: "page", input, limits: { attempts: 1 } });
    const { jobs } = await this.engine.wait(job.id, { timeoutMs: 50_000 });
    const state = jobs[0]?.state;
    if (state?.status !== "succeeded") throw Object.assign(new Error(JSON.stringify(state)), { state });
    return pageContract.result.parse(await this.engine.result(job.id));
  }

  /** A file of the analysis that was started last. */
  async readFile(name: string): Promise<Buffer> {
    const [job] = (await this.engine.list({ kind: "page" })).jobs;
    return Buffer.from((await this.engine.readArtifact(job?.id ?? "", name)).content);
  }

  /** As the header of the JPEG has it: the frame's marker is followed by its length, precision, height and width. */
  async pictureSize(name: string): Promise<{ width: number; height: number }> {
    const bytes = await this.readFile(name);
    const frame = bytes.indexOf(Buffer.from([0xff, 0xc0]));
    return { width: bytes.readUInt16BE(frame + 7), height: bytes.readUInt16BE(frame + 5) };
  }
}

/** One world for all tests of the file. */
export function usePageWorld(options: Parameters<typeof PageWorld.open>[0] = {}): () => PageWorld {
  let world: PageWorld | undefined;
  beforeAll(async () => {
    world = await PageWorld.open(options);
  });
  afterAll(async () => {
    await world?.close();
  });
  return () => {
    if (world === undefined) throw new Error("the world is not open");
    return world;
  };
}
