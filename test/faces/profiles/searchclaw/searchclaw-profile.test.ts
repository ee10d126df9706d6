import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FakeModels } from "../../../kinds/agent/fake-models.ts";
import { hasBrowser } from "../../../kinds/page/world.ts";
import { until } from "../../../until.ts";
import type { TestServer } from "../../mcp/server-process.ts";
import { containing } from "../../../containing.ts";
import { SearchclawClient, SearchclawWorld, type Reply } from "./searchclaw-world.ts";

const anyNumber = expect.any(Number) as number;
const anyText = expect.any(String) as string;
const unchunked = { chunks: null, total_chunks: null };
const id = expect.stringMatching(/^job_[0-9a-f]{12}$/) as string;

describe("the profile searchclaw", () => {
  let world: SearchclawWorld;
  let server: TestServer;
  let searchclaw: SearchclawClient;
  const at = (path: string): string => world.at(path);
  beforeAll(async () => {
    world = await SearchclawWorld.open();
    server = await world.serve();
    searchclaw = await new SearchclawClient().connect(server);
  });
  afterAll(async () => {
    await searchclaw.client.close();
    await server.stop();
    world.close();
  });

  it("has these tools, with SearchClaw's parameters and defaults", async () => {
    const { tools } = await searchclaw.client.listTools();
    const shapes = tools.map(({ name, inputSchema }) => {
      const properties = (inputSchema.properties ?? {}) as Record<string, { default?: unknown }>;
      const fields = Object.entries(properties).map(([field, { default: usual }]) =>
        usual === undefined ? field : `${field}=${JSON.stringify(usual)}`,
      );
      return [name, fields, inputSchema.required ?? []];
    });
    expect(shapes).toEqual([
      ...["search", "search_ai", "news", "images", "suggest"].map((name) => [name, ["q"], ["q"]]),
      ["extract", ["url", "schema", "prompt"], ["url"]],
      ["markdown", ["url"], ["url"]],
      ["screenshot", ["url", "full_page=true"], ["url"]],
      ["crawl", ["url", "max_pages=10", "schema"], ["url"]],
      ["job_status", ["job_id", "cursor", "limit"], ["job_id"]],
      ["map", ["url", "max_pages=100", "search"], ["url"]],
      ["pipeline", ["query", "schema", "max_results=10", "extract_from=5"], ["query", "schema"]],
      ["browse", ["url", "actions"], ["url", "actions"]],
      ["agent", ["prompt", "schema", "max_credits=10", "max_sources=5"], ["prompt"]],
      ["usage", [], []],
    ]);
  });

  it("searches the web, and for a model with context and sources", async () => {
    const results = [
      { title: "Lamp", url: at("/product"), snippet: "A lamp", source: "duck", position: 1 },
      { title: "Gone", url: at("/gone"), snippet: "Not there", source: "goose", position: 2 },
      { title: "More", url: at("/page/1"), snippet: "A page", source: "duck", position: 3 },
    ];
    const found = {
      query: "lamps",
      results,
      infobox: { title: "Lamp", content: "Gives light", url: "https://wiki.example/lamp" },
      suggestions: ["lamp shade"],
      meta: { total_results: 3, cached: false, response_time_ms: anyNumber, engines_used: ["duck", "goose"] },
    };
    expect(await searchclaw.data("search", { q: "lamps" })).toEqual({ ...found, context: null, sources: null });
    const context = "[1] Lamp: A lamp\n\n[2] Gone: Not there\n\n[3] More: A page";
    const sources = results.map(({ title, url, snippet }) => ({ title, url, snippet }));
    expect(await searchclaw.data("search_ai", { q: "lamps" })).toEqual({ ...found, context, sources });
  });

  it("searches news and images, and suggests", async () => {
    expect(await searchclaw.data("news", { q: "light" })).toMatchObject({
      query: "light",
      results: [
        {
          title: "Light",
          url: "https://www.paper.example/1",
          snippet: "News of light",
          source: "press",
          position: 1,
          published_date: "2024-05-01",
          source_name: "paper.example",
          thumbnail: "https://paper.example/t.png",
        },
      ],
      meta: { total_results: 1, engines_used: ["press"] },
    });
    expect((await searchclaw.data("images", { q: "lamp" }))["results"]).toEqual([
      {
        title: "Lamp",
        url: "https://a.example/p",
        snippet: "",
        source: "pics",
        position: 1,
        img_src: "https://a.example/i.png",
        thumbnail_url: "https://a.example/t.png",
        source_url: "https://a.example/p",
        width: 640,
        height: 480,
        source_name: "a.example",
      },
    ]);
    expect(await searchclaw.data("suggest", { q: "la" })).toEqual({ query: "la", suggestions: ["lamp", "lamps"] });
  });

  it("extracts data, and gives a page as Markdown", async () => {
    const schema = { name: "string", offers: { price: "number" } };
    expect(await searchclaw.data("extract", { url: at("/product"), schema })).toEqual({
      url: at("/product"),
      data: { name: "Lamp", offers: { price: 12.5 } },
      meta: {
        cached: false,
        response_time_ms: anyNumber,
        credits_used: 1,
        extraction_method: "rule",
        model_used: null,
        tokens_used: null,
        page_title: "Shop",
      },
      ...unchunked,
    });
    expect(await searchclaw.data("markdown", { url: at("/product") })).toEqual({
      url: at("/product"),
      title: "Shop",
      markdown: "# Lamp",
      meta: { word_count: anyNumber, cached: false, credits_used: 1 },
      ...unchunked,
    });
  });

  it.skipIf(!hasBrowser)("gives the text of a page that scripts make", async () => {
    const seeing = await world.serve({ browser: { sandbox: false } });
    const client = await new SearchclawClient().connect(seeing);
    try {
      const { markdown } = await client.data("markdown", { url: at("/app") });
      expect(markdown).toBe("# App\n\nMade by a script.");
    } finally {
      await client.client.close();
      await seeing.stop();
    }
  });

  it("says why a page that scripts make has no text where it cannot be rendered, and counts nothing for it", async () => {
    const blind = await world.serve({ browser: { executable: "/nowhere/chromium" } });
    const client = await new SearchclawClient().connect(blind);
    try {
      const reason = containing("made by scripts. There is no program at /nowhere/chromium");
      expect(await client.error("markdown", { url: at("/app") })).toEqual([502, reason]);
      expect(await client.error("extract", { url: at("/app"), schema: { price: "number" } })).toEqual([502, reason]);
      expect(await client.data("usage")).toMatchObject({ credits_used: 0 });
    } finally {
      await client.client.close();
      await blind.stop();
    }
  });

  it("crawls as many pages as are asked for, and has all of them in the job's status", async () => {
    const started = await searchclaw.data("crawl", { url: at("/page/0"), max_pages: 5 });
    expect(started).toEqual({ job_id: id, status: "processing", poll_url: `/v1/jobs/${String(started["job_id"])}` });
    const ended = await searchclaw.end(started["job_id"]);
    expect(ended).toEqual({
      job_id: started["job_id"],
      status: "completed",
      progress: { pages_crawled: 5, total_pages: 5, items_extracted: 5 },
      data: Array.from({ length: 5 }, () => ({
        url: anyText,
        title: expect.stringMatching(/^Page \d$/) as string,
        markdown: containing("amber"),
      })),
      error: null,
      meta: { total_items: 5, pages_crawled: 5, credits_used: 5, duration_ms: anyNumber },
    });
    const polled = await fetch(new URL(String(started["poll_url"]), server.url), {
      headers: { authorization: `Bearer ${server.token}` },
    });
    const { id: own } = (await polled.json()) as { id: string };
    expect(await searchclaw.status(own)).toEqual(ended);
  });

  it("crawls for data, and says when some pages failed or all", async () => {
    const schema = { name: "string" };
    const shop = await searchclaw.data("crawl", { url: at("/product"), max_pages: 1, schema });
    expect((await searchclaw.end(shop["job_id"]))["data"]).toEqual([{ url: at("/product"), name: "Lamp" }]);
    const half = await searchclaw.data("crawl", { url: at("/half"), max_pages: 1_000 });
    expect(await searchclaw.end(half["job_id"])).toMatchObject({
      status: "partial",
      error: null,
      progress: { pages_crawled: 3, items_extracted: 2 },
      meta: { total_items: 2, pages_crawled: 3, credits_used: 3 },
    });
    const none = await searchclaw.data("crawl", { url: "http://169.254.169.254/" });
    expect(await searchclaw.end(none["job_id"])).toEqual({
      job_id: id,
      status: "failed",
      progress: { pages_crawled: 0, total_pages: 0, items_extracted: 0 },
      data: null,
      error: containing("169.254.169.254"),
      meta: null,
    });
  });

  it("tells of a crawl that runs", async () => {
    const { job_id: job } = await searchclaw.data("crawl", { url: at("/stuck"), max_pages: 1 });
    await until(() => world.stuck.size > 0);
    expect(await searchclaw.status(job)).toEqual({
      job_id: job,
      status: "processing",
      data: null,
      error: null,
      meta: null,
      progress: { pages_crawled: 0, total_pages: 1, items_extracted: 0 },
    });
    for (const release of world.stuck) release();
    expect(await searchclaw.end(job)).toMatchObject({ status: "completed", data: [{ title: "Stuck" }] });
  });

  it("maps a site, up to the number that is asked for", async () => {
    const mapped = await searchclaw.data("map", { url: at("/page/0") });
    expect(mapped).toMatchObject({ success: true, url: at("/page/0"), total_discovered: 9, credits_used: 1 });
    expect(Object.keys(mapped)).toEqual(["success", "url", "total_discovered", "urls", "credits_used"]);
    expect(mapped["urls"]).toContainEqual({ url: at("/product"), title: "Shop", source: "sitemap" });
    expect(mapped["urls"]).toContainEqual({ url: at("/page/7"), title: "Page 7", source: "crawl" });
    expect(await searchclaw.data("map", { url: at("/page/0"), max_pages: 3 })).toMatchObject({ total_discovered: 3 });
    const wanted = { url: at("/page/0"), search: "product" };
    const found = { total_discovered: 9, urls: [{ url: at("/product"), title: "Shop", source: "sitemap" }] };
    expect(await searchclaw.data("map", wanted)).toMatchObject(found);
  });

  it("searches and extracts, and tells of each result what came of it", async () => {
    const call = { query: "lamps", schema: { name: "string" }, max_results: 3, extract_from: 2 };
    expect(await searchclaw.data("pipeline", call)).toEqual({
      query: "lamps",
      results: [
        { url: at("/product"), title: "Shop", extracted_data: { name: "Lamp" }, error: null, ...unchunked },
        { url: at("/gone"), title: "Gone", extracted_data: null, error: containing("404"), ...unchunked },
      ],
      meta: {
        search_credits: 1,
        extract_credits: 1,
        total_credits: 2,
        response_time_ms: anyNumber,
        cached: false,
      },
      more_results: [{ url: at("/page/1"), title: "More", snippet: "A page" }],
    });
  });

  it.skipIf(!hasBrowser)("takes a picture and shows it", async () => {
    const { content, structuredContent } = await searchclaw.call("screenshot", { url: at("/form"), full_page: false });
    const { image_base64: data, ...rest } = structuredContent as Reply & { image_base64: string };
    expect(rest).toEqual({ url: at("/form"), format: "png", meta: { cached: false, credits_used: 1 } });
    expect(Buffer.from(data, "base64").subarray(1, 4).toString()).toBe("PNG");
    expect(content.map(({ type }) => type)).toEqual(["text", "image"]);
    expect(content[1]).toEqual({ type: "image", data, mimeType: "image/png" });
  });

  it.skipIf(!hasBrowser)("browses: a failed action is told and the rest go on", async () => {
    const actions = [
      { type: "fill", selector: "#name", value: "Ada" },
      { action: "click", selector: "button" },
      { type: "select", selector: "#name", value: "x" },
      { type: "screenshot", selector: "#out" },
      { type: "evaluate", expression: "document.title", timeout: 5_000 },
      { type: "evaluate", expression: "nowhere.at.all" },
      { type: "extract", selector: "#out", url: null },
    ];
    const nothing = { data: null, content: null, error: null };
    const { content, structuredContent } = await searchclaw.call("browse", { url: at("/form"), actions });
    expect(structuredContent).toEqual({
      success: false,
      url: at("/form"),
      results: [
        { action: "fill", success: true, ...nothing },
        { action: "click", success: true, ...nothing },
        { action: "select", success: false, ...nothing, error: anyText },
        { action: "screenshot", success: true, ...nothing, data: expect.stringMatching(/^iVBOR/) as string },
        { action: "evaluate", success: true, ...nothing, data: "Form" },
        {
          action: "evaluate",
          success: false,
          ...nothing,
          error: "A script failed in the page: ReferenceError: nowhere is not defined.",
        },
        { action: "extract", success: true, ...nothing, content: "Hello Ada" },
      ],
      final_url: at("/form"),
      credits_used: 1,
    });
    expect(content.map(({ type }) => type)).toEqual(["text", "image"]);
  });

  it("says in SearchClaw's words what is wrong", async () => {
    const absent = "job_0123456789ab";
    const cases: [string, Reply, number, string][] = [
      ["job_status", { job_id: absent }, 404, `Job ${absent} not found or expired`],
      ["job_status", { job_id: "../usage" }, 404, "Job ../usage not found or expired"],
      ["search", {}, 422, "q is missing"],
      ["search", { q: " " }, 422, "q must not be empty"],
      ["news", { q: "x".repeat(501) }, 422, "q must have at most 500 characters"],
      ["pipeline", { query: "", schema: {} }, 422, "query must not be empty"],
      ["crawl", { url: "ftp://a.example/" }, 422, 'url must be an http or https URL, got "ftp://a.example/".'],
      ["crawl", { url: at("/"), max_pages: 0 }, 422, "max_pages"],
      ["extract", { url: at("/product") }, 422, "must have a schema or a prompt"],
      ["extract", { url: at("/product"), prompt: "the price" }, 503, "needs a language model"],
      ["extract", { url: at("/product"), schema: { name: 5 } }, 422, "schema.name"],
      ["browse", { url: at("/form"), actions: [{ type: "hover" }] }, 422, "actions[0]"],
      ["browse", { url: at("/form"), actions: [] }, 422, "actions must not be empty"],
      ["markdown", { url: at("/gone") }, 502, "404"],
      ["markdown", { url: "http://169.254.169.254/" }, 502, "169.254.169.254"],
      ["screenshot", { url: "http://169.254.169.254/" }, 502, "169.254.169.254 is not on the public internet"],
      ["browse", { url: "http://no.invalid/", actions: [{ type: "press", key: "x" }] }, 502, "could not be resolved"],
      ["agent", { prompt: "" }, 422, "prompt"],
    ];
    for (const [tool, args, status, detail] of cases) {
      expect([tool, ...(await searchclaw.error(tool, args))]).toEqual([tool, status, containing(detail)]);
    }
  });

  it("says which keys an agent needs, where there are none", async () => {
    const [status, detail] = await searchclaw.error("agent", { prompt: "Who makes lamps?" });
    expect([status, detail]).toEqual([503, containing("No model can be called: set ANTHROPIC_API_KEY")]);
  });

  it("gives as many pages as fit, and says where the rest is", async () => {
    const { job_id: job } = await searchclaw.data("crawl", { url: at("/long"), max_pages: 9 });
    const { data, note, next_cursor: next, progress, meta } = await searchclaw.end(job);
    const shown = (data as object[]).length;
    expect(shown).toBeGreaterThan(1);
    expect(shown).toBeLessThan(9);
    expect(note).toBe(`Here are ${shown} of 9 items; job_status with cursor ${String(next)} has those that follow.`);
    expect(progress).toEqual({ pages_crawled: 9, total_pages: 9, items_extracted: 9 });
    expect(meta).toMatchObject({ total_items: 9, pages_crawled: 9 });
    const urls = new Set<unknown>();
    for (let cursor: unknown = 0; cursor !== undefined;) {
      const part = await searchclaw.status(job, { cursor, limit: 2 });
      expect((part["data"] as object[]).length).toBeLessThanOrEqual(2);
      expect(part).toMatchObject({ status: "completed", progress: { items_extracted: 9 }, meta: { total_items: 9 } });
      for (const { url } of part["data"] as { url: string }[]) urls.add(url);
      cursor = part["next_cursor"];
    }
    expect(urls.size).toBe(9);
  });

  it("has the result of every job, and counts them by what they did", async () => {
    const before = await searchclaw.data("usage");
    const { jobs, ...usage } = before as Reply & { jobs: Record<string, number>; credits_used: number };
    expect(usage).toEqual({
      plan: "longhaul",
      billing_period: new Date().toISOString().slice(0, 7),
      credits_used: anyNumber,
      credits_limit: Number.MAX_SAFE_INTEGER,
      credits_remaining: Number.MAX_SAFE_INTEGER - usage.credits_used,
      rate_limit_per_sec: Number.MAX_SAFE_INTEGER,
      is_unlimited: true,
      tokens: 0,
    });
    expect(usage.credits_used).toBeGreaterThan(0);
    const answer = await searchclaw.data("markdown", { url: at("/product") });
    await searchclaw.error("search", {});
    const after = (await searchclaw.data("usage")) as typeof before & { jobs: Record<string, number> };
    expect(after.jobs).toEqual({ ...jobs, markdown: (jobs["markdown"] ?? 0) + 1 });
    expect(after["credits_used"]).toBe(usage.credits_used + 1);
    const listed = await fetch(new URL("/v1/jobs?kind=crawl&limit=1", server.url), {
      headers: { authorization: `Bearer ${server.token}` },
    });
    const [newest] = ((await listed.json()) as { jobs: { id: string }[] }).jobs;
    expect(await searchclaw.status(`job_${newest?.id.slice(-12) ?? ""}`)).toMatchObject({
      status: "completed",
      data: [answer],
      error: null,
      meta: { total_items: 1, pages_crawled: 1, credits_used: 1 },
    });
  });

  it("keeps a job to its owner", async () => {
    const created = await fetch(new URL("/v1/tokens", server.url), {
      method: "POST",
      headers: { authorization: `Bearer ${server.token}`, "content-type": "application/json" },
      body: JSON.stringify({ name: "bob", owner: "bob", scope: "run" }),
    });
    const { token } = (await created.json()) as { token: string };
    const bob = await new SearchclawClient().connect(server, token);
    try {
      const { job_id: job } = await searchclaw.data("crawl", { url: at("/product"), max_pages: 1 });
      await searchclaw.end(job);
      expect(await bob.error("job_status", { job_id: job })).toEqual([404, `Job ${String(job)} not found or expired`]);
      expect(await bob.data("usage")).toMatchObject({ credits_used: 0, jobs: {} });
    } finally {
      await bob.client.close();
    }
  });

  it("extracts with a language model where one is configured, and counts its tokens", async () => {
    const models = await FakeModels.open();
    const config = {
      providers: { fake: { type: "openai-compatible", base_url: models.url, api_key: "fake-key" } },
      classes: { standard: "fake/m" },
    };
    const clever = await world.serve({ agent: config });
    const client = await new SearchclawClient().connect(clever);
    try {
      models.script("m", { calls: [{ name: "hand_in", input: { data: { color: "red" } } }] });
      const schema = { name: "string", color: "string" };
      expect(await client.data("extract", { url: at("/product"), schema })).toMatchObject({
        data: { name: "Lamp", color: "red" },
        meta: { extraction_method: "llm", model_used: "fake/m", tokens_used: 110 },
      });
      expect(await client.data("extract", { url: at("/product"), prompt: "the color" })).toMatchObject({
        data: { color: "red" },
      });
      const { job_id: job } = await client.data("crawl", { url: at("/product"), max_pages: 1, schema });
      expect(await client.end(job)).toMatchObject({ data: [{ name: "Lamp", color: "red" }] });
      models.script("m", { text: "Somebody." });
      await client.data("agent", { prompt: "Who makes lamps?" });
      // Two pages with a model, one crawled, and an agent that used no tool.
      expect(await client.data("usage")).toMatchObject({ credits_used: 5, tokens: 440 });
    } finally {
      await client.client.close();
      await clever.stop();
      await models.close();
    }
  });

  it("names the setting that a search needs, and makes no job", async () => {
    const bare = await world.serve({});
    const client = await new SearchclawClient().connect(bare);
    try {
      for (const tool of ["search", "search_ai", "news", "images", "suggest"]) {
        expect(await client.error(tool, { q: "lamps" })).toEqual([503, containing("search.engine")]);
      }
      const piped = client.error("pipeline", { query: "lamps", schema: { name: "string" } });
      expect(await piped).toEqual([503, containing("BRAVE_API_KEY")]);
      expect(await client.data("usage")).toMatchObject({ credits_used: 0, jobs: {} });
    } finally {
      await client.client.close();
      await bare.stop();
    }
  });
});
