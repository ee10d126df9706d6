import type { BrowserContextOptions, Page } from "playwright-core";
import { JobFailure, messageOf } from "../../../job/failure.ts";
import { tellLate, toBrowserError } from "../../../net/browser/browser-error.ts";
import { watchNavigation } from "../../../net/browser/watch-navigation.ts";
import { takeHtml, type TakenPage } from "./take-html.ts";

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
  /** What exceeds it is cut off. */
  readonly maxBytes: number;
  readonly waitFor?: string;
  /** How often to scroll down for more. */
  readonly scrolls?: number;
  readonly takesScreenshot?: boolean;
}

export interface RenderedPage extends TakenPage {
  /** PNG of the whole page, in base64. */
  readonly screenshot?: string;
}

const defaultSize = { width: 1_280, height: 900 };
const quietMs = 3_000;
const scrollMs = 2_000;
const closeMs = 2_000;
/** The browser keeps to the time that it is given where it can; this is for where it cannot. */
const graceMs = 500;

/** Opens a page in the browser and takes it when its scripts have made it. */
export function renderPage(
  browser: BrowserAccess | undefined,
  url: string,
  request: RenderRequest,
): Promise<RenderedPage> {
  const { timeoutMs, maxBytes, waitFor, scrolls = 0, takesScreenshot = false, signal } = request;
  return withPageInTime(browser, { size: defaultSize, signal, timeoutMs }, async (page, leftMs) => {
    const navigation = watchNavigation(page);
    const checkNavigation = (): void => {
      const failure = navigation.failure();
      if (failure !== undefined) throw failure;
    };
    await page.goto(url, { waitUntil: "domcontentloaded", timeout: leftMs() });
    if (waitFor !== undefined) await page.waitForSelector(waitFor, { timeout: leftMs(), state: "attached" });
    await settleDown(page, leftMs());
    checkNavigation();
    for (let count = 0; count < scrolls && leftMs() > 1; count++) if (!(await scrollForMore(page, leftMs))) break;
    const shot = takesScreenshot ? await page.screenshot({ fullPage: true, timeout: leftMs() }) : undefined;
    const taken = await takeHtml(page, maxBytes);
    checkNavigation();
    return shot === undefined ? taken : { ...taken, screenshot: shot.toString("base64") };
  });
}

/** As `withPage`, given up when its time is over, whatever the page does: one that is stuck in a loop answers nothing. */
export function withPageInTime<Result>(
  browser: BrowserAccess | undefined,
  options: PageOptions,
  use: (page: Page, leftMs: () => number) => Promise<Result>,
): Promise<Result> {
  return withPage(browser, options, async (page, leftMs) => {
    const using = use(page, leftMs);
    // Its end is of no interest once it is late, but must not go unhandled.
    using.catch(() => undefined);
    return within(options.timeoutMs + graceMs, using, () => new Error(tellLate(options.timeoutMs)));
  });
}

export interface PageOptions {
  readonly size: { readonly width: number; readonly height: number };
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

/** A page to work with for a limited time. What goes wrong in it is told without the log that Playwright adds. */
export async function withPage<Result>(
  browser: BrowserAccess | undefined,
  options: PageOptions,
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
        return await use(page, () => Math.max(1, Math.round(deadline - performance.now())));
      } finally {
        // Where the page does not close, its context does, which is closed next.
        await within(closeMs, page.close(), () => new Error(tellLate(closeMs))).catch(() => undefined);
      }
    });
  } catch (error) {
    options.signal.throwIfAborted();
    if (error instanceof JobFailure) throw error;
    throw new JobFailure("render_failed", `The page could not be rendered: ${messageOf(toBrowserError(error))}`);
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

async function within<Result>(ms: number, work: Promise<Result>, late: () => Error): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(late()), ms);
  });
  try {
    return await Promise.race([work, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}
