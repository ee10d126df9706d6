import { describe, expect, it } from "vitest";
import { until } from "../../until.ts";
import { CrawlWorld, openSite, pathsOf } from "./world.ts";

describe("a crawl of a whole site", () => {
  it("finds exactly the pages of the site, whatever stands in its way", async () => {
    const site = await openSite({ pages: 3_000, times: 20 });
    const world = await CrawlWorld.open();
    const limits = { max_pages: 10_000, page_timeout_ms: 5_000, max_page_mb: 0.5 };
    const { result, pages } = await world.crawl({ urls: [site.url], depth: 6, concurrency: 16, ...limits });
    expect(pathsOf(pages)).toEqual(site.expected(6));
    expect(result).toMatchObject(site.expectedResult(6));
    const codes = result.failures.map(({ url, code }) => `${new URL(url).pathname.split("/")[1]} ${code}`);
    expect([...new Set(codes)].toSorted()).toEqual([
      "error http_500",
      "item http_404",
      "missing http_404",
      "slow timed_out",
    ]);
    expect([...site.agents]).toEqual(["Longhaul/test"]);
    expect(site.requests.get("/private/1")).toBeUndefined();
    expect(site.repeats()).toBe(0);
  }, 180_000);

  it("keeps no page too many, goes no deeper than it was told, and stays where it was told", async () => {
    const site = await openSite({ pages: 200 });
    const world = await CrawlWorld.open();
    const some = await world.crawl({ urls: [site.url], max_pages: 7, page_timeout_ms: 500 });
    expect(some.pages).toHaveLength(7);
    const flat = await world.crawl({ urls: [`${site.url}/page/0`], depth: 1, sitemaps: false });
    expect(pathsOf(flat.pages)).toEqual(["/", ...Array.from({ length: 11 }, (_, page) => `/page/${page}`)].toSorted());
    const deep = await world.crawl({
      urls: [`${site.url}/page/5`],
      depth: 3,
      within: "path",
      exclude: ["/page/*7"],
      sitemaps: false,
    });
    expect(pathsOf(deep.pages).every((path) => /^\/page\/\d*[^7]$/.test(path))).toBe(true);
    expect(deep.pages.length).toBeGreaterThan(20);
    const chosen = await world.crawl({ urls: [`${site.url}/page/0`], include: ["re:/page/1?[0-9]$"], sitemaps: false });
    expect(pathsOf(chosen.pages)).toEqual(Array.from({ length: 20 }, (_, page) => `/page/${page}`).toSorted());
  });

  it("reads every charset, cuts huge pages and keeps broken ones", async () => {
    const site = await openSite();
    const world = await CrawlWorld.open();
    const urls = ["/latin1", "/sjis", "/wrong-charset", "/broken", "/huge", "/bomb", "/text.txt"].map(
      (path) => site.url + path,
    );
    const { pages } = await world.crawl({ urls, depth: 0, max_page_mb: 0.2 });
    const byPath = new Map(pages.map((page) => [new URL(page.url).pathname, page]));
    expect(byPath.get("/latin1")?.["markdown"]).toBe("Café über Ærø");
    expect(byPath.get("/sjis")?.["markdown"]).toBe("日本");
    expect(byPath.get("/wrong-charset")?.["markdown"]).toContain("café");
    expect(byPath.get("/broken")).toMatchObject({ title: "Broken" });
    expect(byPath.get("/huge")?.["bytes"]).toBe(200_000);
    expect(byPath.get("/bomb")?.["bytes"]).toBe(200_000);
    expect(byPath.get("/text.txt")?.["markdown"]).toBe("# Plain text\n\nAs it is.");
  });

  it("follows a list by its next link, by numbers in its URL, and takes its items", async () => {
    const site = await openSite();
    const world = await CrawlWorld.open();
    const input = {
      urls: [`${site.url}/list/1`],
      depth: 0,
      list_selector: "li.item",
      schema: { title: "string", price: "number", url: "string" },
    };
    const expected = ["/list/1", "/list/2", "/list/3"];
    for (const pagination of [{ type: "next_button" }, { type: "next_button", selector: "a.next" }]) {
      const { pages } = await world.crawl({ ...input, pagination });
      expect(pathsOf(pages)).toEqual(expected);
      expect(pages[1]?.["data"]).toContainEqual({ title: "Item 2.1", price: 2.1, url: `${site.url}/item/21` });
    }
    const numbered = await world.crawl({
      ...input,
      pagination: { type: "url_pattern", pattern: `${site.url}/list/{page}` },
    });
    expect(pathsOf(numbered.pages)).toEqual(expected);
  });

  it("never asks a host for more at once than it was told", async () => {
    const site = await openSite({ pages: 60, delayMs: 5 });
    const world = await CrawlWorld.open();
    await world.crawl({ urls: [`${site.url}/page/0`], concurrency: 3, include: ["/page/*"], sitemaps: false });
    expect(site.maxAtOnce).toBeLessThanOrEqual(3);
    expect(site.maxAtOnce).toBeGreaterThan(1);
  });

  it("ends in time with what it has, and says so", async () => {
    const site = await openSite({ delayMs: 40 });
    const world = await CrawlWorld.open();
    const { result } = await world.crawl({
      urls: [`${site.url}/calendar/0`],
      depth: 1_000,
      concurrency: 1,
      max_seconds: 1,
    });
    expect(result).toMatchObject({ status: "partial", stopped_by: "time" });
    expect(result.pages).toBeGreaterThan(0);
  });

  it("fails when there is nothing to be had, and says why", async () => {
    const site = await openSite();
    const world = await CrawlWorld.open();
    const job = await world.run("crawl_site", { urls: [`${site.url}/missing`], sitemaps: false });
    expect(job.state).toMatchObject({
      status: "failed",
      failure: { code: "http_404", message: expect.stringContaining("404") as string },
    });
    const inside = await world.run("crawl_site", { urls: ["http://10.0.0.1/"] });
    expect(inside.state).toMatchObject({ status: "failed", failure: { code: "blocked_address" } });
  });

  it("shows its pages while it runs, and tells how far it is", async () => {
    const site = await openSite({ pages: 400, delayMs: 10 });
    const world = await CrawlWorld.open();
    const { id } = await world.call<{ id: string }>("crawl_site", {
      urls: [`${site.url}/page/0`],
      include: ["/page/*"],
      max_pages: 300,
      concurrency: 2,
    });
    const first = await world.call<{ pages: object[]; next: number; is_complete: boolean }>("crawl_pages", {
      id,
      limit: 3,
      wait_ms: 10_000,
    });
    expect(first.pages.length).toBeGreaterThan(0);
    expect(first.is_complete).toBe(false);
    await until(async () => {
      const { state } = await world.engine.get(id);
      return "progress" in state && (state.progress?.counts?.done ?? 0) > 5;
    });
    const { state } = await world.engine.get(id);
    expect(state).toMatchObject({
      status: "running",
      progress: { phase: "page", message: expect.stringMatching(/pages\/s/) as string },
    });
    await world.engine.cancel(id);
    expect((await world.end(id)).state.status).toBe("cancelled");
    expect((await world.pages(id)).length).toBeGreaterThan(5);
  });
});
