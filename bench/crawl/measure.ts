import { createHistogram, performance } from "node:perf_hooks";

/** A type, because only such may cross to the parent process. */
export type CrawlMeasure = {
  readonly pages: number;
  readonly seconds: number;
  readonly pagesPerSecond: number;
  readonly cpuMsPerPage: number;
  readonly peakRssMb: number;
  /** How late the event loop was, 99 of 100 times at most. */
  readonly lagMs: number;
};

const lookMs = 10;

/** Measures a crawl in this process: its time, its processor time (threads included), its memory, and how late timers were. */
export async function measureCrawl(crawl: () => Promise<number>): Promise<CrawlMeasure> {
  const lags = createHistogram();
  let expectedAt = performance.now() + lookMs;
  let peakRss = 0;
  const timer = setInterval(() => {
    const now = performance.now();
    lags.record(Math.max(1, Math.round((now - expectedAt) * 1_000)));
    expectedAt = now + lookMs;
  }, lookMs);
  const rssTimer = setInterval(() => {
    peakRss = Math.max(peakRss, process.memoryUsage.rss());
  }, lookMs * 10);
  const startedAt = performance.now();
  const cpu = process.cpuUsage();
  const pages = await crawl();
  const { user, system } = process.cpuUsage(cpu);
  const seconds = (performance.now() - startedAt) / 1_000;
  clearInterval(timer);
  clearInterval(rssTimer);
  return {
    pages,
    seconds,
    pagesPerSecond: pages / seconds,
    cpuMsPerPage: (user + system) / 1_000 / pages,
    peakRssMb: peakRss / 1_000_000,
    lagMs: lags.percentile(99) / 1_000,
  };
}
