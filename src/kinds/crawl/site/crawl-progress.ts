import type { JobContext } from "../../../job/kind.ts";
import type { CrawlState } from "./crawl-state.ts";

const minuteS = 60;
const tellEveryMs = 500;

export interface CrawlProgress {
  /** Tells how far the crawl is, now or soon. */
  readonly tell: () => void;
  readonly tellLast: () => void;
  /** Nothing is told any more. */
  readonly stop: () => void;
}

/**
 * Tells how far a crawl is: pages done of those that are wanted, how fast, and how long it will take. How many there are is not
 * known before the end, and percent never goes back: of the few that are known at first, most are done.
 */
export function createCrawlProgress(context: JobContext, state: CrawlState, maxPages: number): CrawlProgress {
  const startedAt = performance.now();
  const before = state.visits;
  let toldAt = 0;
  let timer: NodeJS.Timeout | undefined;
  const stop = (): void => {
    clearTimeout(timer);
    timer = undefined;
  };
  const report = (isLast = false): void => {
    stop();
    toldAt = performance.now();
    const { pages, tokens } = state.counts;
    const known = Math.min(maxPages, pages + state.frontier.waiting);
    const total = isLast ? pages : maxPages;
    const seconds = Math.max(0.001, (performance.now() - startedAt) / 1_000);
    const perSecond = (state.visits - before) / seconds;
    const rate = `${perSecond >= 10 ? Math.round(perSecond) : perSecond.toFixed(1)} pages/s`;
    const left = !isLast && known > pages && perSecond > 0 ? `~${spell((known - pages) / perSecond)} left` : "";
    context.progress({
      percent: total === 0 ? 100 : (100 * pages) / total,
      phase: "page",
      message: [rate, left].filter((part) => part !== "").join(" · "),
      counts: { done: pages, total },
      ...(tokens > 0 ? { tokens } : {}),
    });
  };
  return {
    stop,
    tellLast: () => report(true),
    tell: () => {
      const waitMs = toldAt + tellEveryMs - performance.now();
      // Each report is a write to the database. The one that is put off tells what has come until then.
      if (waitMs <= 0) report();
      else timer ??= setTimeout(report, waitMs);
    },
  };
}

function spell(seconds: number): string {
  return seconds < minuteS ? `${Math.ceil(seconds)}s` : `${Math.ceil(seconds / minuteS)}m`;
}
