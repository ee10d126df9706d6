import { openEngine } from "../../src/index.ts";
import { createCrawlKind } from "../../src/kinds/crawl/crawl.ts";
import { createAddressRules } from "../../src/net/address-rules.ts";
import { createGuardedFetch } from "../../src/net/guarded-fetch.ts";
import { createHostGate } from "../../src/net/host-gate.ts";
import { createRobots } from "../../src/net/robots.ts";
import { answerParent } from "../child.ts";
import { withTemporaryFolder } from "../temporary-folder.ts";
import { measureCrawl } from "./measure.ts";
import type { CrawlBenchRequest } from "./request.ts";

/** A crawl job in an engine of its own: guarded, polite, with Markdown of every page on the disk. */
async function crawl({ url, pages, concurrency }: CrawlBenchRequest, home: string): Promise<number> {
  const web = createGuardedFetch({ rules: createAddressRules(["127.0.0.1"]), userAgent: "Longhaul/bench" });
  const engine = await openEngine({
    home,
    kinds: [
      createCrawlKind({
        web,
        robots: createRobots(web, { productToken: "Longhaul" }),
        gate: createHostGate({ perHost: concurrency, minimumDelayMs: 0 }),
        concurrency: 1,
        search: { web },
      }),
    ],
  });
  const input = { action: "crawl", urls: [`${url}/p/0`], max_pages: pages, depth: 1_000, concurrency };
  const job = await engine.submit({ kind: "crawl", input });
  await engine.wait(job.id, { timeoutMs: 600_000 });
  const result = (await engine.result(job.id)) as { pages: number };
  await engine.stop();
  await web.close();
  return result.pages;
}

answerParent((request: CrawlBenchRequest) => withTemporaryFolder((home) => measureCrawl(() => crawl(request, home))));
