import type { JobContext } from "../../job/kind.ts";
import type { CrawlState } from "./crawl-state.ts";

const minuteS = 60;

/** Tells how far a crawl is: pages done of those that are known and wanted, how fast, and how long it will take. */
export function createCrawlProgress(context: JobContext, state: CrawlState, maxPages: number): () => void {
  const startedAt = performance.now();
  const before = state.visits;
  return () => {
    const { pages } = state.counts;
    const total = Math.min(maxPages, pages + state.frontier.waiting);
    const seconds = Math.max(0.001, (performance.now() - startedAt) / 1_000);
    const perSecond = (state.visits - before) / seconds;
    const left = total > pages && perSecond > 0 ? ` · ~${spell((total - pages) / perSecond)} left` : "";
    context.progress({
      percent: total === 0 ? 0 : (100 * pages) / total,
      phase: "crawling",
      message: `page ${pages}/${total} · ${perSecond >= 10 ? Math.round(perSecond) : perSecond.toFixed(1)}/s${left}`,
      counts: { done: pages, total },
    });
  };
}

function spell(seconds: number): string {
  return seconds < minuteS ? `${Math.ceil(seconds)}s` : `${Math.ceil(seconds / minuteS)}m`;
}
