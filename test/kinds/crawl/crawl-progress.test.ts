import { expect, it } from "vitest";
import { CrawlWorld, openSite } from "./world.ts";

it("the percent of a crawl is what is done of the total that is told with it, and never goes back", async () => {
  const site = await openSite({ pages: 60, delayMs: 60 });
  const world = await CrawlWorld.open();
  const { id } = await world.crawl({ urls: [`${site.url}/page/0`], max_pages: 200, sitemaps: false });
  const events = await world.engine.events(id, 0, 1_000);
  const told = events.flatMap((event) => (event.type === "progress-made" ? [event.progress] : []));
  expect(told.length).toBeGreaterThan(1);
  for (const { percent, counts } of told) {
    expect(percent).toBeCloseTo((100 * (counts?.done ?? 0)) / (counts?.total ?? 1));
  }
  const percents = told.map(({ percent = 0 }) => percent);
  expect(percents).toEqual(percents.toSorted((one, other) => one - other));
  expect(percents.at(-1)).toBe(100);
}, 60_000);
