import type { BrowserContextOptions, Page } from "playwright-core";
import { JobFailure } from "../../../job/failure.ts";
import { watchNavigation } from "../../../net/browser/watch-navigation.ts";
import { tellBrowserError } from "./browser-words.ts";

/** A browser whose every connection passes the rules of net/. */
export interface BrowserAccess {
  /** Works in a context of its own, which is closed in the end and when the signal comes. */
  readonly use: <Result>(
    options: BrowserContextOptions,
    signal: AbortSignal,
    work: (session: { readonly openPage: () => Promise<Page> }) => Promise<Result>,
  ) => Promise<Result>;
}

export interface RenderRequest {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly waitFor?: string;
  /** How often to scroll down for more. */
  readonly scrolls?: number;
  readonly takesScreenshot?: boolean;
}

export interface RenderedPage {
  readonly url: string;
  readonly html: string;
  /** PNG of the whole page, in base64. */
  readonly screenshot?: string;
}

const defaultSize = { width: 1_280, height: 900 };
const quietMs = 3_000;
const scrollMs = 2_000;

/** Opens a page in the browser and takes it when its scripts have made it. */
export function renderPage(
  browser: BrowserAccess | undefined,
  url: string,
  request: RenderRequest,
): Promise<RenderedPage> {
  const { timeoutMs, waitFor, scrolls = 0, takesScreenshot = false, signal } = request;
  return withPage(browser, { size: defaultSize, signal, timeoutMs }, async (page, leftMs) => {
    const navigation = watchNavigation(page);
    await page.goto(url, { waitUntil: "domcontentloaded", timeout: leftMs() });
    if (waitFor !== undefined) await page.waitForSelector(waitFor, { timeout: leftMs(), state: "attached" });
    await settleDown(page, leftMs());
    const failure = navigation.failure();
    if (failure !== undefined) throw failure;
    for (let count = 0; count < scrolls && leftMs() > 1; count++) if (!(await scrollForMore(page, leftMs))) break;
    const shot = takesScreenshot ? await page.screenshot({ fullPage: true, timeout: leftMs() }) : undefined;
    const facts = { url: page.url(), html: await page.content() };
    return shot === undefined ? facts : { ...facts, screenshot: shot.toString("base64") };
  });
}

/** A page to work with for a limited time. What goes wrong in it is told without the log that Playwright adds. */
export async function withPage<Result>(
  browser: BrowserAccess | undefined,
  options: {
    readonly size: { width: number; height: number };
    readonly signal: AbortSignal;
    readonly timeoutMs: number;
  },
  use: (page: Page, leftMs: () => number) => Promise<Result>,
): Promise<Result> {
  if (browser === undefined) {
    throw new JobFailure("browser_missing", "Rendering needs a browser, and this server has none.", {
      retryable: false,
    });
  }
  try {
    return await browser.use({ viewport: options.size }, options.signal, async ({ openPage }) => {
      const page = await openPage();
      // From here on: what a page costs, not what starting a browser does.
      const deadline = performance.now() + options.timeoutMs;
      try {
        return await use(page, () => Math.max(1, deadline - performance.now()));
      } finally {
        await page.close().catch(() => undefined);
      }
    });
  } catch (error) {
    options.signal.throwIfAborted();
    if (error instanceof JobFailure) throw error;
    throw new JobFailure("render_failed", `The page could not be rendered: ${tellBrowserError(error)}`, {
      cause: error,
    });
  }
}

/** Until the network is quiet; a page that never is, is taken as it stands. */
export async function settleDown(page: Page, leftMs: number): Promise<void> {
  await page.waitForLoadState("networkidle", { timeout: Math.min(leftMs, quietMs) }).catch(() => undefined);
}

async function scrollForMore(page: Page, leftMs: () => number): Promise<boolean> {
  const height = "document.documentElement.scrollHeight";
  const before = Number(await page.evaluate(height));
  await page.evaluate(`window.scrollTo(0, ${height})`);
  const hasMore = await page
    .waitForFunction(`${height} > ${before}`, undefined, { timeout: Math.min(leftMs(), scrollMs) })
    .then(() => true)
    .catch(() => false);
  if (hasMore) await settleDown(page, leftMs());
  return hasMore;
}
