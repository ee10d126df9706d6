import type { RequestListener } from "node:http";
import { text as readAll } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { CrawlWorld, listen, localWeb, openSite } from "./world.ts";
import { containing } from "../../containing.ts";

describe("one page", () => {
  it("becomes Markdown, wherever it redirects to, with what else is asked for", async () => {
    const site = await openSite();
    const world = await CrawlWorld.open();
    expect(await world.result("page_markdown", { url: `${site.url}/moved/here` })).toMatchObject({
      url: `${site.url}/landing`,
      title: "Landing",
      language: "en",
      markdown: "You have landed.",
      words: 3,
    });
    const input = { url: `${site.url}/product`, fields: ["links", "metadata", "html"] };
    expect(await world.result("page_markdown", input)).toMatchObject({
      metadata: { meta: { keywords: "lamp, light" }, json_ld: [{ name: "Lamp" }] },
      html: containing("<h1>"),
    });
  });

  it("is refused with its reason", async () => {
    const site = await openSite();
    const world = await CrawlWorld.open();
    const cases = {
      "/private/1": "robots",
      "/missing": "http_404",
      "/file": "not_a_page",
      "/moved/circle": "too_many_redirects",
    };
    for (const [path, code] of Object.entries(cases)) {
      const job = await world.run("page_markdown", { url: site.url + path });
      expect({ path, state: job.state }).toMatchObject({ path, state: { status: "failed", failure: { code } } });
    }
  });

  it("gives its data by a JSON Schema, by the short form, and by selectors", async () => {
    const site = await openSite();
    const world = await CrawlWorld.open();
    const url = `${site.url}/product`;
    const properties = {
      name: { type: "string" },
      price: { type: "number" },
      brand: { type: "string" },
      weight: { type: "number" },
    };
    expect(await world.result("page_extract", { url, schema: { type: "object", properties } })).toMatchObject({
      data: { name: "Lamp", price: 1299.5, brand: "Lumen" },
      missing: ["weight"],
      method: "rules",
    });
    const short = {
      Name: "string",
      offers: { price_currency: "string", availability: "boolean" },
      image: "string",
      keywords: ["string"],
    };
    expect(await world.result("page_extract", { url, schema: short })).toMatchObject({
      data: {
        Name: "Lamp",
        offers: { price_currency: "EUR", availability: true },
        image: "/lamp.png",
        keywords: ["lamp, light"],
      },
    });
    const selected = await world.result("page_extract", { url, selectors: { stock: ".stock", kind: "script@type" } });
    expect(selected).toMatchObject({ data: { stock: "In stock", kind: "application/ld+json" } });
  });

  it("gives its text where the data that was asked for is not in it", async () => {
    const site = await openSite();
    const world = await CrawlWorld.open();
    const url = `${site.url}/landing`;
    const nothing = await world.result("page_extract", { url, schema: { zip_code: "number" } });
    expect(nothing).toMatchObject({ missing: ["zip_code"], text: expect.stringMatching(/\w/) as string });
    expect(await world.result("page_extract", { url, schema: { title: "string" } })).not.toHaveProperty("text");
  });

  it("is not asked for data without a word on which, nor by a prompt without a model", async () => {
    const site = await openSite();
    const world = await CrawlWorld.open();
    await expect(world.call("page_extract", { url: site.url })).rejects.toMatchObject({ code: "invalid_input" });
    const nonsense = world.call("page_extract", { url: site.url, schema: { a: "nonsense" } });
    await expect(nonsense).rejects.toMatchObject({ code: "invalid_input", message: containing("schema.a") });
    const prompted = world.call("page_extract", { url: site.url, prompt: "the price" });
    await expect(prompted).rejects.toMatchObject({ code: "unavailable", message: containing("language model") });
  });
});

it("a map lists what sitemaps and links tell", async () => {
  const site = await openSite({ pages: 30 });
  const world = await CrawlWorld.open();
  const input = { url: `${site.url}/page/0`, include: ["/page/*", "/orphan/*"] };
  const all = await world.result<{ urls: object[] }>("map_site", input);
  expect(all).toMatchObject({ total: 37, is_complete: true });
  expect(all.urls).toContainEqual({ url: `${site.url}/orphan/3`, source: "sitemap", title: "Orphan 3" });
  expect(await world.result("map_site", { ...input, max_urls: 5 })).toMatchObject({ total: 5, is_complete: false });
  const { length: discovered } = all.urls;
  expect(await world.result("map_site", { ...input, search: "orphan 3" })).toMatchObject({ total: 1, discovered });
});

describe("searching", () => {
  it("is refused with the settings that are missing, and makes no job", async () => {
    const world = await CrawlWorld.open();
    const refusal = { code: "unavailable", message: containing("search.engine") };
    await expect(world.call("web_search", { query: "lamps" })).rejects.toMatchObject(refusal);
    const piped = world.call("search_extract", { query: "lamps", schema: { name: "string" } });
    await expect(piped).rejects.toMatchObject(refusal);
    expect((await world.engine.list()).jobs).toEqual([]);
  });

  it("asks SearXNG, and extracts from what it finds", async () => {
    const site = await openSite();
    const queries: string[] = [];
    const baseUrl = await listen((request, response) => {
      queries.push(request.url ?? "");
      const results = [
        { title: "Lamp", url: `${site.url}/product`, content: "A lamp", engine: "duck" },
        { title: "Gone", url: `${site.url}/missing`, content: "Not there", engine: "duck" },
      ];
      const infoboxes = [{ infobox: "Lamp", content: "Gives light", id: "x" }];
      const isSuggest = request.url?.startsWith("/autocompleter") === true;
      response.end(
        JSON.stringify(isSuggest ? ["la", ["lamp", "lamps"]] : { results, suggestions: ["light"], infoboxes }),
      );
    });
    const world = await CrawlWorld.open({ search: { engine: "searxng", baseUrl, web: localWeb() } });
    const asked = { query: "lamps", freshness: "week", language: "en", country: "gb" };
    expect(await world.result("web_search", asked)).toMatchObject({
      query: "lamps",
      results: [
        { title: "Lamp", snippet: "A lamp", source: "duck", position: 1 },
        { title: "Gone", position: 2 },
      ],
      suggestions: ["light"],
      infobox: { title: "Lamp" },
      engines: ["duck"],
    });
    expect(queries[0]).toBe(
      "/search?q=lamps&format=json&categories=general&safesearch=1&pageno=1&time_range=week&language=en-GB",
    );
    const suggested = await world.result("web_search", { query: "la", category: "suggest" });
    expect(suggested).toMatchObject({ suggestions: ["lamp", "lamps"] });
    const job = await world.run("search_extract", { query: "lamps", schema: { name: "string", price: "number" } });
    expect(job.state).toMatchObject({ status: "succeeded", partial: true });
    expect(await world.engine.result(job.id)).toMatchObject({
      status: "partial",
      results: [{ data: { name: "Lamp", price: 1299.5 } }, { data: null, error: containing("404") }],
    });
  });

  it("asks Brave, with its key and in its words", async () => {
    const asked: object[] = [];
    const baseUrl = await listen((request, response) => {
      asked.push({ url: request.url, key: request.headers["x-subscription-token"] });
      const result = {
        title: "Lamp",
        url: "https://a.example/",
        description: "A <strong>lamp</strong>",
        page_age: "2024-01-01",
      };
      response.end(JSON.stringify({ web: { results: [result] } }));
    });
    const world = await CrawlWorld.open({ search: { engine: "brave", apiKey: "key-1", baseUrl, web: localWeb() } });
    expect(await world.result("web_search", { query: "lamps", freshness: "day" })).toMatchObject({
      results: [{ title: "Lamp", snippet: "A lamp", published: "2024-01-01", position: 1 }],
    });
    expect(asked).toEqual([
      { url: "/web/search?q=lamps&count=10&offset=0&safesearch=moderate&freshness=pd", key: "key-1" },
    ]);
  });
  it.each([
    {
      engine: "serper",
      path: "/news",
      header: "x-api-key",
      body: { q: "lamps", num: 10, page: 1, gl: "de", tbs: "qdr:w" },
      answer: {
        news: [{ title: "Lamp", link: "https://a.example/", snippet: "A lamp", date: "today", imageUrl: "i" }],
      },
      result: { thumbnail: "i", source: "google" },
    },
    {
      engine: "perplexity",
      path: "/search",
      header: "authorization",
      body: { query: "lamps", max_results: 10, country: "DE", search_recency_filter: "week" },
      answer: { results: [{ title: "Lamp", url: "https://a.example/", snippet: "A lamp", date: "today" }] },
      result: { source: "perplexity" },
    },
  ] as const)("asks $engine, and shows nobody its key", async ({ engine, path, header, body, answer, result }) => {
    const apiKey = "a-key-of-the-engine";
    const asked: object[] = [];
    const reply = JSON.stringify(answer).replace("A lamp", `A lamp ${apiKey}`);
    const answerTo: (...exchange: Parameters<RequestListener>) => Promise<void> = async (request, response) => {
      const sent = JSON.parse(await readAll(request)) as object;
      asked.push({ url: request.url, key: request.headers[header], body: sent });
      response.end(reply);
    };
    const baseUrl = await listen((...exchange) => void answerTo(...exchange));
    const world = await CrawlWorld.open({ search: { engine, apiKey, baseUrl, web: localWeb() } });
    const category = engine === "serper" ? "news" : "web";
    const query = { query: "lamps", category, freshness: "week", country: "de" };
    expect(await world.result("web_search", query)).toMatchObject({
      results: [{ title: "Lamp", snippet: "A lamp [redacted]", published: "today", position: 1, ...result }],
      engines: [engine],
    });
    expect(asked).toEqual([{ url: path, key: containing(apiKey), body }]);
  });
});
