import { setMaxListeners } from "node:events";
import type { RequestOf } from "../contract.ts";
import { elapsedMs } from "../../../job/elapsed.ts";
import { JobFailure } from "../../../job/failure.ts";
import { PartialResult, type JobContext } from "../../../job/kind.ts";
import { createCrawlProgress } from "./crawl-progress.ts";
import type { CrawlRecord } from "./crawl-record.ts";
import type { CrawlSettings } from "../crawl-settings.ts";
import { CrawlState } from "./crawl-state.ts";
import { HashSet, hashText } from "./hash-set.ts";
import { Journal } from "./journal.ts";
import { normaliseUrl, pageUrl } from "./page-url.ts";
import type { ParsePlan } from "../parse/parse-plan.ts";
import { createParsePool } from "../parse/parse-pool.ts";
import { createReadByModel, type ReadByModel } from "../page/read-by-model.ts";
import { createScope, type ScopeRules } from "./scope.ts";
import { SiteCrawl, type CrawlLimits } from "./site-crawl.ts";

/** The stream of a job's output that holds its pages, as JSON lines. */
const pagesStream = "pages";
const megabyte = 1_000_000;

export interface SiteTask {
  readonly starts: readonly string[];
  readonly manner: CrawlLimits;
  readonly plan: ParsePlan & { readonly scope: ScopeRules };
  readonly maxSeconds: number;
  /** Whether sitemaps are read, and whether before any page or when no link is left to follow. */
  readonly sitemaps: "first" | "last" | "never";
  /** Most URLs to remember. */
  readonly maxUrls: number;
  readonly onRecord?: (record: CrawlRecord) => void;
  readonly readByModel?: ReadByModel;
}

export interface SiteOutcome {
  readonly state: CrawlState;
  readonly seconds: number;
  readonly stopped: "time" | "size" | undefined;
}

/** Crawls, going on where a lost worker has left off: what was found and done is read back from the job's own pages. */
export async function runSiteTask(task: SiteTask, context: JobContext, settings: CrawlSettings): Promise<SiteOutcome> {
  const state = new CrawlState(task.maxUrls);
  const journal = await openJournal(task, context, state);
  const pool = createParsePool(settings.parse);
  const beganAt = state.beganAt ?? context.now();
  const time = new AbortController();
  const leftMs = task.maxSeconds * 1_000 - elapsedMs(beganAt, context.now());
  const timer = setTimeout(() => time.abort(), Math.max(0, leftMs));
  const signal = AbortSignal.any([context.signal, time.signal]);
  // Every page in flight listens to it: more than Node thinks to be in order.
  setMaxListeners(0, signal);
  const progress = createCrawlProgress(context, state, task.manner.maxPages);
  const onVisited = (record: CrawlRecord): void => {
    task.onRecord?.(record);
    progress.tell();
  };
  try {
    const isInScope = await createScope(task.plan.scope);
    const parts = { settings, state, journal, pool, plan: JSON.stringify(task.plan), isInScope, signal, onVisited };
    const crawl = new SiteCrawl(task.manner, { ...parts, readByModel: task.readByModel });
    await runCrawl(crawl, task, state, beganAt).catch((error: unknown) => {
      context.signal.throwIfAborted();
      if (!time.signal.aborted) throw error;
    });
    progress.tellLast();
    const stopped = time.signal.aborted ? "time" : crawl.isFull ? "size" : undefined;
    return { state, seconds: elapsedMs(beganAt, context.now()) / 1_000, stopped };
  } finally {
    clearTimeout(timer);
    progress.stop();
    await pool.close();
    await journal.close();
  }
}

async function openJournal(task: SiteTask, context: JobContext, state: CrawlState): Promise<Journal> {
  const visited = new HashSet();
  const journal = await Journal.open(context.outputFile(pagesStream, { isWhole: true }), (record) => {
    if ("from" in record) visited.add(hashText(record.from));
    state.apply(record);
    task.onRecord?.(record);
  });
  state.frontier.forget(visited);
  // The journal is what an attempt goes on from; its size as a checkpoint shows whether the last one got any further.
  if (context.isInterrupted) await context.checkpoint.save({ journalBytes: journal.size });
  return journal;
}

async function runCrawl(crawl: SiteCrawl, task: SiteTask, state: CrawlState, beganAt: number): Promise<void> {
  if (state.beganAt === undefined) {
    crawl.record({ type: "begun", at: beganAt });
    crawl.record({ type: "found", by: "start", found: [...task.starts], depth: -1 });
  }
  const readSitemaps = async (): Promise<void> => {
    if (!state.hasReadSitemaps) await crawl.addSitemaps(task.starts);
  };
  if (task.sitemaps === "first") await readSitemaps();
  await crawl.drain();
  if (task.sitemaps !== "last" || state.counts.pages >= task.manner.maxPages) return;
  await readSitemaps();
  await crawl.drain();
}

/** A page in the frontier may turn out to be a duplicate or to fail, so more are remembered than pages are wanted. */
export function maxUrlsFor(maxPages: number): number {
  return maxPages * 4 + 1_000;
}

export async function crawlSite(
  input: RequestOf<"crawl">,
  context: JobContext,
  settings: CrawlSettings,
): Promise<object | PartialResult> {
  const outcome = await runSiteTask(toTask(input, settings), context, settings);
  if (outcome.state.counts.pages === 0) throw nothingFetched(outcome.state);
  const digest = toDigest(outcome, input.model_tokens);
  return digest.status === "partial" ? new PartialResult(digest) : digest;
}

export function nothingFetched({ counts, failures }: CrawlState): JobFailure {
  const [first] = failures;
  if (first !== undefined) {
    return new JobFailure(first.code, `No page could be fetched; ${first.url}: ${first.reason}`, { retryable: false });
  }
  const [code, reason] = reasonForNothing(counts);
  return new JobFailure(code, `No page could be fetched: ${reason}.`, { retryable: false });
}

function reasonForNothing({ robots, scope, type, redirected }: CrawlState["counts"]): [code: string, reason: string] {
  if (robots > 0) return ["robots", "its robots.txt forbids it"];
  if (scope > 0) return ["no_pages", "it leads out of its scope"];
  return type === 0 && redirected > 0
    ? ["too_many_redirects", "it redirects in a circle"]
    : ["no_pages", "there is no HTML or text within its scope"];
}

function toTask(input: RequestOf<"crawl">, settings: CrawlSettings): SiteTask {
  const { pagination } = input;
  const urls = input.urls.flatMap((url) => normaliseUrl(url) ?? []);
  const firstOfList = pagination?.type === "url_pattern" ? pageUrl(pagination.pattern, pagination.start) : undefined;
  const starts = firstOfList === undefined ? urls : [...urls, firstOfList];
  const { fields, include, exclude, within, schema, selectors } = input;
  const nextSelector = pagination?.type === "next_button" ? pagination.selector : undefined;
  const readByModel = createReadByModel(input, settings);
  return {
    starts,
    readByModel,
    manner: toManner(input),
    plan: {
      scope: { starts, within, include, exclude },
      fields: [
        ...fields.filter((field) => field !== "screenshot"),
        ...(readByModel === undefined ? [] : (["markdown"] as const)),
      ],
      schema,
      selectors,
      listSelector: input.list_selector,
      nextSelector,
    },
    maxSeconds: input.max_seconds,
    sitemaps: input.sitemaps && input.depth > 0 ? "last" : "never",
    maxUrls: maxUrlsFor(input.max_pages),
  };
}

function toManner(input: RequestOf<"crawl">): CrawlLimits {
  const takesScreenshots = input.fields.includes("screenshot");
  const isRendered = takesScreenshots || input.pagination?.type === "infinite_scroll";
  return {
    maxPages: input.max_pages,
    depth: input.depth,
    concurrency: input.concurrency,
    delayMs: input.rate === undefined ? 0 : 1_000 / input.rate,
    timeoutMs: input.page_timeout_ms,
    maxBytes: input.max_page_mb * megabyte,
    maxTotalBytes: input.max_total_mb * megabyte,
    keepsDuplicates: input.duplicates === "keep",
    keepsNearDuplicates: input.near_duplicates === "keep",
    pagination: input.pagination,
    render: isRendered ? "always" : input.render,
    waitFor: input.wait_for,
    takesScreenshots,
  };
}

interface CrawlDigest {
  readonly status: "completed" | "partial";
  readonly [fact: string]: unknown;
}

function toDigest({ state, seconds, stopped }: SiteOutcome, maxTokens: number): CrawlDigest {
  const { counts, failures, frontier, firstPages, dropped } = state;
  return {
    action: "crawl",
    status: counts.failed > 0 || counts.unread > 0 || stopped !== undefined ? "partial" : "completed",
    pages: counts.pages,
    rendered: counts.rendered,
    not_rendered: counts.unread,
    failed: counts.failed,
    failures,
    duplicates: { exact: counts.exact, near: counts.near, canonical: counts.canonical, dropped },
    redirects: counts.redirected,
    skipped: { robots: counts.robots, type: counts.type, scope: counts.scope },
    not_visited: frontier.waiting,
    stopped_by: stopped,
    bytes: counts.bytes,
    ...(counts.tokens > 0 ? { tokens: counts.tokens, is_model_spent: counts.tokens >= maxTokens } : {}),
    seconds: Math.round(seconds * 10) / 10,
    first_pages: firstPages,
  };
}
