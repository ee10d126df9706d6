import { openEngine } from "../../src/index.ts";
import { createCrawlKind } from "../../src/kinds/crawl/crawl.ts";
import { createAddressRules } from "../../src/net/address/address-rules.ts";
import { createGuardedFetch } from "../../src/net/fetch/guarded-fetch.ts";
import { createHostGate } from "../../src/net/fetch/host-gate.ts";
import { createRobots } from "../../src/net/robots/robots.ts";
import { answerParent } from "../child.ts";
import { withTemporaryFolder } from "../temporary-folder.ts";
import { measureCrawl, type CrawlMeasure } from "./measure.ts";
import type { CrawlBenchRequest } from "./request.ts";

/** A crawl job in an engine that runs already: guarded, polite, with Markdown of every page on the disk. */
async function measure({ url, pages, concurrency }: CrawlBenchRequest, home: string): Promise<CrawlMeasure> {
  const web = createGuardedFetch({ rules: createAddressRules(["127.0.0.1"]), userAgent: "Longhaul/bench" });
  const kind = createCrawlKind({
    web,
    robots: createRobots(web, { productToken: "Longhaul" }),
    gate: createHostGate({ perHost: concurrency, minimumDelayMs: 0 }),
    concurrency: 1,
    search: { web },
  });
  const engine = await openEngine({ home, kinds: [kind] });
  const input = { action: "crawl", urls: [`${url}/p/0`], max_pages: pages, depth: 1_000, concurrency };
  const measured = await measureCrawl(async () => {
    const job = await engine.submit({ kind: "crawl", input });
    await engine.wait(job.id, { timeoutMs: 600_000 });
    return ((await engine.result(job.id)) as { pages: number }).pages;
  });
  await engine.stop();
  await web.close();
  return measured;
}

answerParent((request: CrawlBenchRequest) => withTemporaryFolder((home) => measure(request, home)));
