import { setTimeout as wait } from "node:timers/promises";
import { JobFailure } from "../../../job/failure.ts";
import type { FetchResult } from "../../../net/fetch/guarded-fetch.ts";
import { disallowAll, type RobotsRules } from "../../../net/robots/robots-rules.ts";
import { parseRetryAfter } from "../../../text/retry-after.ts";
import type { CrawlSettings } from "../crawl-settings.ts";

export interface PageFetch {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  readonly maxBytes: number;
  /** Between two requests to one host, at least. */
  readonly delayMs?: number;
  /** Text that is no page is taken too, as plain text. */
  readonly takesAnyText?: boolean;
}

/** What came of a request that robots.txt allows and the server answered. */
export type Fetched =
  | { readonly type: "page"; readonly response: FetchResult; readonly contentType: string }
  | { readonly type: "redirect"; readonly to: string }
  | { readonly type: "robots" }
  | { readonly type: "other"; readonly contentType: string };

const maxTries = 3;
const defaultRetryMs = 500;
const longestPauseMs = 60_000;
const readableTypes = /^\s*($|text\/html|application\/xhtml\+xml|text\/plain|text\/markdown|text\/x-markdown)/i;
const textTypes = /^\s*(text\/|application\/(json|xml|javascript|[\w.+-]*\+(json|xml)))/i;

/** Fetches one page, in its turn, as its host wishes. Redirects are handed to the caller: where they lead has rules of its own. */
export async function fetchPage(url: string, request: PageFetch, settings: CrawlSettings): Promise<Fetched> {
  const rules = await readRules(url, request, settings);
  if (!rules.isAllowed(url)) return { type: "robots" };
  const delayMs = Math.max(request.delayMs ?? 0, rules.crawlDelayMs ?? 0);
  for (let tries = 1; ; tries++) {
    const answer = await attempt(url, { ...request, delayMs }, settings);
    if (!("failure" in answer)) return answer;
    // A page that took all of its time once would do so again.
    const isWorthIt = answer.failure.retryable && answer.failure.code !== "timed_out";
    if (!isWorthIt || tries === maxTries) throw answer.failure;
    await sleep((settings.retryMs ?? defaultRetryMs) * 2 ** (tries - 1), request.signal);
  }
}

/** What opens a page without fetching it here keeps to the pace, too. */
export async function awaitTurn(
  url: string,
  { signal, delayMs = 0 }: Pick<PageFetch, "signal" | "delayMs">,
  { gate, robots }: CrawlSettings,
): Promise<void> {
  const { crawlDelayMs = 0 } = await robots.rulesFor(url, signal);
  const release = await gate.acquire(new URL(url).host, { delayMs: Math.max(delayMs, crawlDelayMs), signal });
  release();
}

export function robotsFailure(url: string): JobFailure {
  return new JobFailure("robots", `${url} may not be fetched: its robots.txt forbids it.`, { retryable: false });
}

async function attempt(
  url: string,
  { signal, timeoutMs, maxBytes, delayMs, takesAnyText = false }: PageFetch & { delayMs: number },
  { web, gate }: CrawlSettings,
): Promise<Fetched | { failure: JobFailure }> {
  const { host } = new URL(url);
  const release = await gate.acquire(host, { delayMs, signal });
  try {
    const limits = { maxBodyBytes: maxBytes, whenTooLarge: "truncate", maxRedirects: 0 } as const;
    const headers = { accept: "text/html,application/xhtml+xml;q=0.9,text/plain;q=0.8,*/*;q=0.1" };
    const response = await web.fetch(url, { ...limits, headers, signal, timeoutMs });
    if (response.location !== undefined) return { type: "redirect", to: response.location };
    if (response.status >= 400) {
      const pauseMs = parseRetryAfter(response.headers["retry-after"], Date.now(), longestPauseMs);
      const isBusy = response.status === 429 || response.status === 503;
      if (isBusy && pauseMs !== undefined) gate.pause(host, pauseMs);
      return { failure: statusFailure(response.status) };
    }
    const contentType = String(response.headers["content-type"] ?? "");
    if (readableTypes.test(contentType)) return { type: "page", response, contentType };
    if (!takesAnyText || !textTypes.test(contentType)) return { type: "other", contentType: contentType.slice(0, 100) };
    return { type: "page", response, contentType: contentType.replace(/^[^;]*/, "text/plain") };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof JobFailure) return { failure: error };
    throw error;
  } finally {
    release();
  }
}

/** A robots.txt that cannot be had forbids everything (RFC 9309); why it cannot is what a caller wants to know. */
export async function readRules(
  url: string,
  request: Pick<PageFetch, "signal" | "timeoutMs">,
  settings: CrawlSettings,
): Promise<RobotsRules> {
  const rules = await settings.robots.rulesFor(url, request.signal);
  if (rules === disallowAll) throw await robotsUnreachable(url, request, settings);
  return rules;
}

async function robotsUnreachable(
  url: string,
  { signal, timeoutMs }: Pick<PageFetch, "signal" | "timeoutMs">,
  { web }: CrawlSettings,
): Promise<unknown> {
  try {
    const { status } = await web.fetch(new URL("/robots.txt", url), { signal, timeoutMs, whenTooLarge: "truncate" });
    const reason = `Its robots.txt cannot be read (status ${status}), so nothing is fetched there.`;
    return new JobFailure("robots_unreachable", reason, { retryable: false });
  } catch (error) {
    return error;
  }
}

function statusFailure(status: number): JobFailure {
  const retryable = status >= 500 || status === 429 || status === 408;
  return new JobFailure(`http_${status}`, `The server answered with status ${status}.`, { retryable });
}

/** Rejects with the signal's own reason, not with Node's error for it. */
async function sleep(durationMs: number, signal: AbortSignal): Promise<void> {
  await wait(durationMs, undefined, { signal }).catch(() => undefined);
  signal.throwIfAborted();
}
