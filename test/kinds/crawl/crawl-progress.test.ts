import { expect, it } from "vitest";
import { until } from "../../until.ts";
import { CrawlWorld, listen, openSite } from "./world.ts";

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

it("a page that was read is told even if the next one never comes", async () => {
  const url = await listen(({ url: path }, response) => {
    response.writeHead(path === "/robots.txt" ? 404 : 200, { "content-type": "text/html" });
    if (path !== "/hangs") response.end(`<!doctype html><title>First</title><main><a href="/hangs">next</a></main>`);
  });
  const world = await CrawlWorld.open();
  const { id } = await world.call<{ id: string }>("crawl_site", { urls: [`${url}/`], sitemaps: false });
  const done = async (): Promise<number | undefined> => {
    const { state } = await world.engine.get(id);
    return "progress" in state ? state.progress?.counts?.done : undefined;
  };
  await until(async () => (await done()) !== undefined && (await done()) !== 0);
  expect(await done()).toBe(1);
  await world.engine.cancel(id);
});
