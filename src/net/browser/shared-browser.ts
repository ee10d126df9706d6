import { mkdirSync, rmSync } from "node:fs";
import { rm } from "node:fs/promises";
import type { BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { JobFailure } from "../../job/failure.ts";
import { toBrowserError } from "./browser-error.ts";
import { browserMissing, findBrowser, type BrowserSearch } from "./find-browser.ts";
import { launchBrowser, type LaunchedBrowser, type LaunchOptions } from "./launch-browser.ts";
import { PageSlots } from "./page-slots.ts";

export interface BrowserSettings extends BrowserSearch {
  /** A folder for nothing but the browser: whatever is in it is removed at once. */
  readonly folder: string;
  /** Called when a browser is launched; the proxy must refuse what is not allowed. */
  readonly proxy: () => Promise<LaunchOptions["proxy"]>;
  readonly sandbox: boolean;
  /** Most pages open at the same time, over all jobs. */
  readonly maxPages: number;
  /** How long a browser that nobody uses is kept. */
  readonly idleMs?: number;
  /** A browser that has not answered for so long hangs. A healthy one takes some seconds on a busy machine. */
  readonly hungMs?: number;
}

/** One job's share of the browser: cookies, cache and pages of its own. */
export interface BrowserSession {
  readonly context: BrowserContext;
  /** Waits for a free slot; closing the page frees it. Windows that pages open by themselves are closed at once. */
  readonly openPage: () => Promise<Page>;
  /** Takes an error for what it is, in words: `browser_lost` when the browser or a page of this session is gone, whatever was wrong before. */
  readonly judge: (error: unknown) => unknown;
}

/**
 * The one browser of a server: launched when it is first needed, closed when nobody has needed it for a while, and
 * replaced when it crashes or hangs. Every job works in a context of its own, behind the proxy.
 */
export class SharedBrowser {
  readonly #settings: BrowserSettings;
  readonly #slots: PageSlots;
  readonly #hungMs: number;
  #running: Promise<LaunchedBrowser> | undefined;
  #users = 0;
  #idleTimer: NodeJS.Timeout | undefined;

  constructor(settings: BrowserSettings) {
    this.#settings = settings;
    this.#slots = new PageSlots(settings.maxPages);
    this.#hungMs = settings.hungMs ?? 20_000;
    // A server that was killed could not tidy up.
    rmSync(settings.folder, { recursive: true, force: true });
  }

  /** The program that is used; undefined if there is none. */
  get executable(): string | undefined {
    return findBrowser(this.#settings);
  }

  /** What to say where there is none. */
  get missing(): JobFailure {
    return browserMissing(this.#settings);
  }

  /**
   * Works in a fresh context, which is closed in the end, and at once when the signal comes: that frees even a page
   * that is stuck in a loop. Fails with `browser_missing`, `browser_failed`, or `browser_lost` when the browser or a
   * page crashed or hung meanwhile: then trying again is worth it.
   */
  async use<T>(
    options: BrowserContextOptions,
    signal: AbortSignal,
    work: (session: BrowserSession) => Promise<T>,
  ): Promise<T> {
    signal.throwIfAborted();
    this.#users += 1;
    clearTimeout(this.#idleTimer);
    try {
      const { launched, context } = await this.#openContext(options);
      return await this.#workIn(context, launched, signal, work);
    } finally {
      this.#users -= 1;
      if (this.#users === 0) this.#closeWhenIdle();
    }
  }

  async close(): Promise<void> {
    clearTimeout(this.#idleTimer);
    const running = await this.#running?.catch(() => undefined);
    this.#running = undefined;
    if (running !== undefined) await end(running, this.#hungMs);
    await rm(this.#settings.folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
  }

  async #workIn<T>(
    context: BrowserContext,
    launched: LaunchedBrowser,
    signal: AbortSignal,
    work: (session: BrowserSession) => Promise<T>,
  ): Promise<T> {
    let pageEnd: string | undefined;
    const crash = new AbortController();
    const judge = (error: unknown): unknown => {
      const isConnected = launched.browser.isConnected();
      const isGone = pageEnd === pageCrashed || !isConnected;
      // Calls fail a moment before the browser is known to be gone; nobody else closes pages while work goes on.
      const plain = toBrowserError(error);
      return isGone || /has been closed|Target crashed/.test(String(error))
        ? browserLost(plain, isConnected ? pageEnd : undefined)
        : plain;
    };
    let closing: Promise<void> | undefined;
    const closeContext = (): Promise<void> => (closing ??= this.#closeContext(context, launched));
    const onAbort = (): void => void closeContext();
    const watch = setInterval(() => void within(this.#hungMs, launched.ping()).catch(launched.kill), this.#hungMs / 4);
    signal.addEventListener("abort", onAbort, { once: true });
    context.on("page", (page) => {
      page.once("crash", () => crash.abort((pageEnd = pageCrashed)));
      page.once("close", () => (pageEnd ??= pageClosed));
    });
    try {
      signal.throwIfAborted();
      const working = work({ context, judge, openPage: createPageOpener(context, this.#slots, signal) });
      // Calls to a page that crashed are never answered.
      return await Promise.race([working, rejectOn(crash.signal)]);
    } catch (error) {
      signal.throwIfAborted();
      // Work that was given up as late may have been late because the browser hangs, which closing tells.
      await closeContext();
      throw judge(error);
    } finally {
      signal.removeEventListener("abort", onAbort);
      await closeContext();
      clearInterval(watch);
    }
  }

  async #openContext(options: BrowserContextOptions): Promise<{ launched: LaunchedBrowser; context: BrowserContext }> {
    for (let isAgain = false; ; isAgain = true) {
      const running = (this.#running ??= this.#launch());
      const launched = await running;
      const opening = launched.browser.newContext({ serviceWorkers: "block", acceptDownloads: false, ...options });
      const context = await within(this.#hungMs, opening).catch(() => undefined);
      if (context !== undefined) return { launched, context };
      this.#forget(running);
      launched.kill();
      if (isAgain) throw browserLost(new Error("a new browser did not answer either"));
    }
  }

  #launch(): Promise<LaunchedBrowser> {
    const launching = this.#start();
    const forget = (): void => this.#forget(launching);
    launching.then(({ browser }) => {
      browser.once("disconnected", forget);
      return browser.isConnected() ? undefined : forget();
    }, forget);
    return launching;
  }

  async #start(): Promise<LaunchedBrowser> {
    const { folder, sandbox, searchPath } = this.#settings;
    const executable = this.executable;
    if (executable === undefined) throw this.missing;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return launchBrowser({ executable, folder, sandbox, searchPath, proxy: await this.#settings.proxy() });
  }

  #forget(running: Promise<LaunchedBrowser>): void {
    if (this.#running === running) this.#running = undefined;
  }

  /** A browser that does not even close a context is hung: all of its users lose it, and the next gets a new one. */
  async #closeContext(context: BrowserContext, { kill, gone }: LaunchedBrowser): Promise<void> {
    try {
      await within(this.#hungMs, context.close());
    } catch {
      kill();
      await gone;
    }
  }

  #closeWhenIdle(): void {
    const { idleMs = 60_000 } = this.#settings;
    this.#idleTimer = setTimeout(() => {
      const running = this.#running;
      if (running === undefined) return;
      this.#forget(running);
      void running.then((launched) => end(launched, this.#hungMs)).catch(() => undefined);
    }, idleMs);
    this.#idleTimer.unref();
  }
}

function createPageOpener(context: BrowserContext, slots: PageSlots, signal: AbortSignal): () => Promise<Page> {
  const own = new Set<Page>();
  let opening = 0;
  const closeStrangers = (): void => {
    if (opening > 0) return;
    for (const page of context.pages()) if (!own.has(page)) page.close().catch(() => undefined);
  };
  context.on("page", closeStrangers);
  return async () => {
    const giveBack = await slots.take(signal);
    context.once("close", giveBack);
    opening += 1;
    try {
      const page = await context.newPage();
      own.add(page);
      page.once("close", giveBack);
      return page;
    } catch (error) {
      giveBack();
      throw error;
    } finally {
      opening -= 1;
      closeStrangers();
    }
  };
}

async function end({ browser, kill, gone }: LaunchedBrowser, hungMs: number): Promise<void> {
  await within(hungMs, browser.close()).catch(kill);
  await gone;
}

function rejectOn(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(browserLost(undefined, pageCrashed)), { once: true });
  });
}

async function within<T>(ms: number, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

export function isBrowserLost(error: unknown): boolean {
  return error instanceof JobFailure && error.code === "browser_lost";
}

const pageCrashed = "The page crashed in the browser.";
const pageClosed = "The page closed itself while it was looked at.";
const browserGone = "The browser crashed or hung while it showed the page.";

function browserLost(cause: unknown, message = browserGone): JobFailure {
  // What was known before the browser was gone stays true; that something took too long is explained by it.
  if (cause instanceof JobFailure && cause.code !== "timed_out") return cause;
  return new JobFailure("browser_lost", message, { cause });
}
