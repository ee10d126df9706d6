import type { RequestOf } from "../contract.ts";
import type { JobContext } from "../../../job/kind.ts";
import { nothingFetched, runSiteTask, type SiteTask } from "./crawl-action.ts";
import type { CrawlRecord } from "./crawl-record.ts";
import type { CrawlSettings } from "../crawl-settings.ts";
import { normaliseUrl } from "./page-url.ts";

interface MappedUrl {
  readonly url: string;
  readonly source: "start" | "sitemap" | "link";
  title?: string;
}

/** The URLs of a site: what its sitemaps list, then what its pages link to. */
export async function mapSite(input: RequestOf<"map">, context: JobContext, settings: CrawlSettings): Promise<object> {
  const urls = new Map<string, MappedUrl>();
  const add = (url: string, source: MappedUrl["source"]): void => {
    if (urls.size < input.max_urls && !urls.has(url)) urls.set(url, { url, source });
  };
  const onRecord = (record: CrawlRecord): void => {
    if (record.type === "begun") return;
    const source = record.type === "found" ? record.by : "link";
    for (const url of record.found ?? []) add(url, source);
    // What turned out to be no page is no URL of the site.
    if (record.type === "failed" || record.type === "redirected") urls.delete(record.from);
    if (record.type !== "page") return;
    add(record.url, "link");
    const known = urls.get(record.url);
    if (known !== undefined && record.title !== "") known.title = record.title;
  };
  const { state, seconds, stopped } = await runSiteTask({ ...toTask(input), onRecord }, context, settings);
  if (urls.size === 0) throw nothingFetched(state);
  const found = [...urls.values()].filter((entry) => isWanted(entry, input.search));
  return {
    action: "map",
    url: input.url,
    total: found.length,
    discovered: urls.size,
    urls: found,
    pages_opened: state.visits,
    is_complete: urls.size < input.max_urls && state.frontier.waiting === 0 && stopped === undefined,
    seconds: Math.round(seconds * 10) / 10,
  };
}

function toTask(input: RequestOf<"map">): SiteTask {
  const starts = [normaliseUrl(input.url) ?? input.url];
  const { within, include, exclude } = input;
  return {
    starts,
    manner: {
      maxPages: input.max_pages,
      depth: input.depth,
      concurrency: input.concurrency,
      delayMs: input.rate === undefined ? 0 : 1_000 / input.rate,
      timeoutMs: 15_000,
      maxBytes: 5_000_000,
      maxTotalBytes: Infinity,
      keepsDuplicates: false,
      keepsNearDuplicates: true,
      pagination: undefined,
      render: input.render,
      waitFor: undefined,
      takesScreenshots: false,
    },
    plan: { scope: { starts, within, include, exclude }, fields: [] },
    maxSeconds: input.max_seconds,
    sitemaps: input.sitemaps ? "first" : "never",
    maxUrls: input.max_urls,
  };
}

function isWanted({ url, title = "" }: MappedUrl, search: string | undefined): boolean {
  const { pathname, search: query } = new URL(url);
  const text = `${pathname}${query} ${title}`.toLowerCase();
  return (
    search === undefined ||
    search
      .toLowerCase()
      .split(/\s+/)
      .every((word) => text.includes(word))
  );
}
