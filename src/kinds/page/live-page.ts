import type { CDPSession, Page } from "playwright-core";
import { defined } from "../../job/defined.ts";
import { JobFailure } from "../../job/failure.ts";
import { BrowserError } from "../../net/browser/browser-error.ts";
import type { BrowserSession } from "../../net/browser/shared-browser.ts";
import { watchNavigation } from "../../net/browser/watch-navigation.ts";
import type { PageRequest } from "./contract.ts";
import { settlePage } from "./in-page/settle-page.ts";
import { watchScript, type PageScript } from "./in-page/scripts.ts";
import { watchScripts, type ScriptWatch } from "./performance/script-coverage.ts";
import { watchTraffic, type Traffic } from "./traffic.ts";

/** The page as it is open in the browser. */
export interface LivePage {
  readonly page: Page;
  readonly devtools: CDPSession;
  readonly traffic: Traffic;
  /** Only where somebody wants to know: it makes scripts a little slower. */
  readonly scripts?: ScriptWatch;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /**
   * Evaluates in a world of its own: the same document, but none of the page's scripts, which may have replaced what every
   * script relies on.
   */
  readonly evaluate: <Result>(script: PageScript<Result>) => Promise<Result>;
}

/** Opens the page once and keeps it for the phases; after a phase that came to no end it is opened anew. */
export class PageKeeper {
  readonly judge: BrowserSession["judge"];
  readonly #session: BrowserSession;
  readonly #input: PageRequest;
  #live: Promise<LivePage> | undefined;
  #page: Page | undefined;

  constructor(session: BrowserSession, input: PageRequest) {
    this.judge = session.judge;
    this.#session = session;
    this.#input = input;
  }

  get(): Promise<LivePage> {
    return (this.#live ??= this.#open());
  }

  async #open(): Promise<LivePage> {
    this.#page = await this.#session.openPage();
    const { features, preset } = this.#input;
    const watchesScripts = features.includes("performance") && preset === "none";
    return openLivePage(this.#page, this.#session, this.#input, { watchesScripts });
  }

  /** Fails only when the browser is gone, and all of its pages with it. */
  async drop(): Promise<void> {
    // Its end is of no interest any more, but must not go unhandled.
    this.#live?.catch(() => undefined);
    this.#live = undefined;
    // A page that is stuck is closed with its process, which this does not wait for to be polite.
    await this.#page?.close({ runBeforeUnload: false }).catch(() => undefined);
    const reason = this.judge(undefined);
    if (reason !== undefined) throw reason;
  }
}

export interface OpenOptions {
  readonly watchesScripts: boolean;
  /** Called before the page is asked for. */
  readonly prepare?: (devtools: CDPSession) => Promise<void>;
}

export async function openLivePage(
  page: Page,
  session: Pick<BrowserSession, "context">,
  input: PageRequest,
  { watchesScripts, prepare }: OpenOptions,
): Promise<LivePage> {
  const devtools = await session.context.newCDPSession(page);
  const traffic = await watchTraffic(page, devtools);
  const scripts = watchesScripts ? await watchScripts(devtools) : undefined;
  await prepare?.(devtools);
  const navigation = watchNavigation(page);
  await page.addInitScript({ content: watchScript() });
  if (input.html !== undefined) await showHtml(page, input.url, input.html);
  // The phase that waits for it has a time limit.
  const response = await page.goto(input.url, { waitUntil: input.wait_until, timeout: 0 });
  const status = response?.status() ?? 0;
  if (status >= 400) {
    throw new JobFailure("http_error", `${input.url} answered with status ${status}.`, {
      retryable: status >= 500,
      details: { status },
    });
  }
  const evaluate = createEvaluate(devtools);
  await evaluate(settlePage());
  const failure = navigation.failure();
  if (failure !== undefined) throw failure;
  const headers = (await response?.allHeaders()) ?? {};
  return { page, devtools, traffic, status, headers, evaluate, ...defined({ scripts }) };
}

/** Only the page itself is answered; whatever it names goes out, through the proxy like everything. */
async function showHtml(page: Page, url: string, body: string): Promise<void> {
  const { href } = new URL(url);
  await page.route(
    (wanted) => wanted.href === href,
    (route) => route.fulfill({ contentType: "text/html; charset=utf-8", body }),
  );
}

function createEvaluate(devtools: CDPSession): LivePage["evaluate"] {
  let world: Promise<number> | undefined;
  const makeWorld = async (): Promise<number> => {
    const { frameTree } = await devtools.send("Page.getFrameTree");
    const made = await devtools.send("Page.createIsolatedWorld", {
      frameId: frameTree.frame.id,
      worldName: "longhaul",
    });
    return made.executionContextId;
  };
  const run = async <Result>(script: PageScript<Result>): Promise<Result> => {
    const contextId = await (world ??= makeWorld());
    const { result, exceptionDetails } = await devtools.send("Runtime.evaluate", {
      expression: script,
      contextId,
      awaitPromise: true,
      returnByValue: true,
    });
    if (exceptionDetails !== undefined) {
      const [reason = ""] = (exceptionDetails.exception?.description ?? exceptionDetails.text).split("\n");
      throw new BrowserError(`What looks at the page failed in it: ${reason}`);
    }
    return result.value as Result;
  };
  return async (script) => {
    try {
      return await run(script);
    } catch (error) {
      if (!/context|navigat/i.test(String(error))) throw error;
      // The page went elsewhere by itself, and its world with it.
      world = undefined;
      return run(script);
    }
  };
}
