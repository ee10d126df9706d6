import { createRequire } from "node:module";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { answerParent } from "../child.ts";
import { measureCrawl } from "./measure.ts";
import type { CrawlBenchRequest } from "./request.ts";

/** As much of crawlee as is used here. */
interface Crawlee {
  readonly CheerioCrawler: new (
    options: object,
    configuration: object,
  ) => { readonly run: (urls: readonly string[]) => Promise<{ readonly requestsFinished: number }> };
  readonly Configuration: new (options: object) => object;
  readonly log: { readonly setLevel: (level: number) => void };
}

interface CrawlingContext {
  readonly $: (selector: string) => { readonly text: () => string };
  readonly enqueueLinks: () => Promise<unknown>;
}

async function crawl({ url, pages, concurrency }: CrawlBenchRequest): Promise<number> {
  const { CheerioCrawler, Configuration, log } = await loadCrawlee();
  log.setLevel(0);
  const crawler = new CheerioCrawler(
    {
      maxRequestsPerCrawl: pages,
      minConcurrency: concurrency,
      maxConcurrency: concurrency,
      requestHandler: async ({ $, enqueueLinks }: CrawlingContext) => {
        $("title").text();
        await enqueueLinks();
      },
    },
    new Configuration({ persistStorage: false }),
  );
  return (await crawler.run([`${url}/p/0`])).requestsFinished;
}

async function loadCrawlee(): Promise<Crawlee> {
  const peer = createRequire(resolve("bench/crawl/peer/package.json"));
  return (await import(pathToFileURL(peer.resolve("@crawlee/cheerio")).href)) as Crawlee;
}

answerParent((request: CrawlBenchRequest) => measureCrawl(() => crawl(request)));
