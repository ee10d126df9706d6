import { describe, expect, it } from "vitest";
import { useOnce } from "../../use-each.ts";
import { hasBrowser, openLocalBrowser } from "./local-browser.ts";
import { CrawlWorld, openSite, pathsOf, type CrawlResult } from "./world.ts";

/** By hand also for a whole site: LONGHAUL_SITE_PAGES=3000 makes it one of 3,384 pages, which takes half an hour. */
const plainPages = Number(process.env["LONGHAUL_SITE_PAGES"] ?? 80);
const isLong = plainPages > 80;
const times = isLong ? 20 : 1;
const depth = 6;
const longestMs = isLong ? 5_400_000 : 300_000;

describe.skipIf(!hasBrowser)("a site of which every other page is made by scripts", () => {
  const browser = useOnce(
    () => openLocalBrowser(),
    (opened) => opened.close(),
  );

  it(
    "has exactly the pages that are known when they are rendered, and each was read as it had to be",
    async () => {
      const site = await openSite({ pages: plainPages, times, isScripted: true });
      const world = await CrawlWorld.open({ browser: browser() });
      const limits = { max_pages: 10_000, page_timeout_ms: 20_000, max_page_mb: 0.5, max_seconds: longestMs / 1_000 };
      const input = { urls: [site.url], depth, concurrency: 8, ...limits };
      const { id } = await world.call<{ id: string }>("crawl_site", input);
      await world.engine.wait(id, { timeoutMs: longestMs });
      const result = (await world.engine.result(id)) as CrawlResult;
      const pages = await world.pages(id, ["url", "read_by"]);
      const [found, known] = [pathsOf(pages), site.expected(depth)];
      if (isLong) tell(found, known, result);
      expect(found).toEqual(known);
      const rendered = pages.filter(({ read_by: by }) => by === "browser").length;
      expect(rendered).toBe(site.scripted(depth));
      expect(result).toMatchObject({ ...site.expectedResult(depth), rendered, not_rendered: 0 });
    },
    longestMs,
  );
});

function tell(found: readonly string[], known: readonly string[], { seconds, rendered }: CrawlResult): void {
  const missing = known.filter((path) => !found.includes(path)).length;
  const extra = found.filter((path) => !known.includes(path)).length;
  console.info({ known: known.length, found: found.length, rendered, missing, extra, seconds });
}
