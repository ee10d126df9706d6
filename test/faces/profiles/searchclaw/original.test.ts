import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { z } from "zod";
import { FakeModels } from "../../../kinds/agent/fake-models.ts";
import { hasBrowser } from "../../../kinds/page/world.ts";
import { until } from "../../../until.ts";
import type { TestServer } from "../../mcp/server-process.ts";
import { detail, jobReplies, originalReplies, problems } from "./original-replies.ts";
import { SearchclawClient, SearchclawWorld, type Reply } from "./searchclaw-world.ts";

type Properties = Record<string, { type: string; default?: unknown }>;
interface ListedTool {
  readonly name: string;
  readonly inputSchema: { readonly properties: Properties; readonly required?: string[] };
}

/** What searchclaw-mcp 2.0.1 lists, without the words for it. */
const originalTools = JSON.parse(
  readFileSync(join(import.meta.dirname, "original-tools.json"), "utf8"),
) as readonly ListedTool[];

/** What we take and say besides. */
const addedParameters: Readonly<Record<string, readonly string[]>> = { job_status: ["cursor", "limit"] };
const addedFields: Readonly<Record<string, readonly string[]>> = {
  pipeline: ["more_results"],
  usage: ["is_unlimited", "jobs", "tokens"],
};

describe("the tools of searchclaw-mcp", () => {
  let world: SearchclawWorld;
  let models: FakeModels;
  let server: TestServer;
  let searchclaw: SearchclawClient;
  beforeAll(async () => {
    world = await SearchclawWorld.open();
    models = await FakeModels.open();
    const agent = {
      providers: { fake: { type: "openai-compatible", base_url: models.url, api_key: "fake-key" } },
      classes: { standard: "fake/m" },
    };
    server = await world.serve({ search: world.search, agent });
    searchclaw = await new SearchclawClient().connect(server);
  });
  afterAll(async () => {
    await searchclaw.client.close();
    await server.stop();
    await models.close();
    world.close();
  });

  async function post(path: string, body: object = {}): Promise<Reply> {
    const headers = { authorization: `Bearer ${server.token}`, "content-type": "application/json" };
    const response = await fetch(new URL(path, server.url), { method: "POST", headers, body: JSON.stringify(body) });
    expect(response.ok).toBe(true);
    return (await response.json()) as Reply;
  }
  const idOf = ({ id }: Reply): string => `job_${String(id).slice(-12)}`;
  const shown = (tool: string, reply: Reply): Reply =>
    Object.fromEntries(Object.entries(reply).filter(([field]) => addedFields[tool]?.includes(field) !== true));
  const problemsOf = (schema: z.ZodType, reply: Reply): unknown => schema.safeParse(reply).error?.issues ?? [];

  it("are listed under its server's name in its order, with its parameters and defaults", async () => {
    expect(searchclaw.client.getServerVersion()?.name).toBe("searchclaw");
    const { tools } = await searchclaw.client.listTools();
    const listed = tools.map(({ name, inputSchema }) => {
      const { properties, required = [] } = inputSchema as unknown as ListedTool["inputSchema"];
      const own = Object.entries(properties).filter(([field]) => addedParameters[name]?.includes(field) !== true);
      return { name, properties: own.map(toFacts), required };
    });
    expect(listed).toEqual(
      originalTools.map(({ name, inputSchema: { properties, required = [] } }) => ({
        name,
        properties: Object.entries(properties).map(toFacts),
        required,
      })),
    );
  });

  const calls: [keyof typeof originalReplies, string, (at: (path: string) => string) => Reply][] = [
    ["search", "", () => ({ q: "lamps" })],
    ["search_ai", "", () => ({ q: "lamps" })],
    ["news", "", () => ({ q: "light" })],
    ["images", "", () => ({ q: "lamp" })],
    ["suggest", "", () => ({ q: "la" })],
    ["extract", "by rules", (at) => ({ url: at("/product"), schema: { name: "string" } })],
    ["extract", "by a model", (at) => ({ url: at("/product"), schema: { name: "string", color: "a colour" } })],
    ["markdown", "", (at) => ({ url: at("/product") })],
    ["crawl", "", (at) => ({ url: at("/product"), max_pages: 1 })],
    ["map", "", (at) => ({ url: at("/page/0") })],
    ["pipeline", "", () => ({ query: "lamps", schema: { name: "string" }, extract_from: 2 })],
    ["agent", "that ends at once", () => ({ prompt: "Who makes lamps?" })],
    ["agent", "that goes on", () => ({ prompt: "Who makes lamps?", max_credits: 11 })],
    ["usage", "", () => ({})],
  ];
  it.each(calls)("answer with every field that its models have and no other: %s %s", async (tool, how, argumentsAt) => {
    if (how === "by a model") models.script("m", { calls: [{ name: "hand_in", input: { data: { color: "red" } } }] });
    if (tool === "agent") models.script("m", { text: "Somebody: https://maker.example/lamps." });
    const reply = await searchclaw.data(tool, argumentsAt(world.at));
    expect({ reply, problems: problemsOf(originalReplies[tool], shown(tool, reply)) }).toEqual({ reply, problems: [] });
  });

  it.skipIf(!hasBrowser)("answer so with what a browser has shown and done", async () => {
    const picture = await searchclaw.data("screenshot", { url: world.at("/form") });
    expect(problemsOf(originalReplies.screenshot, picture)).toEqual([]);
    const actions = [
      { type: "navigate", url: world.at("/form"), timeout: 10_000 },
      { type: "wait", selector: "#name", timeout: 5_000 },
      { type: "fill", selector: "#name", value: "Ada", key: null },
      { type: "type", selector: "#name", value: "!", delay: 0 },
      { type: "press", key: "Enter" },
      { type: "click", selector: "button", timeout: 10_000 },
      { type: "scroll", direction: "down", amount: 0 },
      { type: "screenshot", full_page: true },
      { type: "extract", selector: "#out" },
      { type: "extract", format: "html" },
      { type: "evaluate", expression: "document.querySelector('#name').value" },
      { type: "select", selector: "#nothing", value: "x" },
    ];
    const browsed = await searchclaw.data("browse", { url: world.at("/form"), actions });
    expect(problemsOf(originalReplies.browse, browsed)).toEqual([]);
    const results = browsed["results"] as { action: string; success: boolean; content: string; data: string }[];
    expect(results.map(({ action, success }) => [action, success])).toEqual(
      actions.map(({ type }) => [type, type !== "select"]),
    );
    expect([results[8]?.content, results[10]?.data]).toEqual(["Hello Ada!", "Ada!"]);
  });

  it("give the text of a page where there is no data, as it does", async () => {
    const plain = await world.serve();
    const client = await new SearchclawClient().connect(plain);
    try {
      const reply = await client.data("extract", { url: world.at("/half"), schema: { price: "number" } });
      expect(problemsOf(originalReplies.extract, reply)).toEqual([]);
      expect(reply).toMatchObject({ data: expect.stringContaining("One link is dead.") as string });
      expect(reply).toMatchObject({ meta: { extraction_method: "raw", credits_used: 1 } });
    } finally {
      await client.client.close();
      await plain.stop();
    }
  });

  it("tell of a job in each of its states with every field, and nothing before it is known", async () => {
    const crawl = async (args: Reply): Promise<unknown> => (await searchclaw.data("crawl", args))["job_id"];
    const check = async (state: keyof typeof jobReplies, id: unknown): Promise<Reply> => {
      const reply = await searchclaw.status(id);
      const { next_cursor: _next, note: _note, ...own } = reply;
      expect({ reply, problems: problemsOf(jobReplies[state], own) }).toEqual({ reply, problems: [] });
      return reply;
    };
    await post("/v1/kinds/crawl/pause");
    const waiting = await crawl({ url: world.at("/product"), max_pages: 3 });
    await check("queued", waiting);
    await post("/v1/kinds/crawl/resume");
    await searchclaw.end(waiting);
    await check("completed", waiting);

    const half = await crawl({ url: world.at("/half"), max_pages: 9 });
    await searchclaw.end(half);
    await check("partial", half);

    const hanging = await crawl({ url: world.at("/hanging"), max_pages: 7 });
    await until(() => world.stuck.size > 0);
    await until(async () => ((await searchclaw.status(hanging))["progress"] as Reply)["pages_crawled"] === 1);
    const running = await check("processing", hanging);
    expect(running["progress"]).toEqual({ pages_crawled: 1, total_pages: 7, items_extracted: 1 });

    await post(`/v1/jobs/${String(hanging)}/cancel`);
    const { data, ...cancelled } = await searchclaw.end(hanging);
    expect(problemsOf(jobReplies.failed, { ...cancelled, data: null })).toEqual([]);
    expect(cancelled["error"]).toBe("The job was cancelled by request.");
    expect(data).toHaveLength(1);

    const late = idOf(await post("/v1/web/crawl_site", { urls: [world.at("/stuck")], timeout_ms: 300 }));
    expect((await searchclaw.end(late))["error"]).toMatch(/^The job took too long: /);
    await check("failed", late);

    const blocked = await crawl({ url: "http://169.254.169.254/" });
    expect((await searchclaw.end(blocked))["error"]).toMatch(/^No page could be fetched/);
    await check("failed", blocked);

    models.script("m", { text: "Somebody." });
    const { job_id: asked } = await searchclaw.data("agent", { prompt: "Who?", max_credits: 50 });
    await searchclaw.end(asked);
    const [answer] = (await check("completed", asked))["data"] as Reply[];
    expect(problemsOf(originalReplies.agent, answer ?? {})).toEqual([]);
  });

  it("put an error in its form, with the field that the caller wrote", async () => {
    const url = world.at("/form");
    const cases: [string, Reply, number, (string | number)[]][] = [
      ["search", { q: "" }, 422, ["query", "q"]],
      ["suggest", { q: "x".repeat(201) }, 422, ["query", "q"]],
      ["news", {}, 422, ["body", "q"]],
      ["extract", { url: "a.example", prompt: "x" }, 422, ["body", "url"]],
      ["extract", { url }, 422, ["body"]],
      ["crawl", { url: "ftp://a.example/" }, 422, ["body", "url"]],
      ["crawl", { url, max_pages: 0 }, 422, ["body", "max_pages"]],
      ["map", { url, max_pages: 2.5 }, 422, ["body", "max_pages"]],
      ["pipeline", { query: "x", schema: {}, extract_from: 21 }, 422, ["body", "extract_from"]],
      ["pipeline", { query: "x", schema: {}, max_results: 51 }, 422, ["body", "max_results"]],
      ["browse", { url, actions: [{ type: "click" }] }, 422, ["body", "actions", 0, "selector"]],
      ["browse", { url, actions: [{ type: "hover" }] }, 422, ["body", "actions", 0, "type"]],
      ["agent", { prompt: "x".repeat(2_001) }, 422, ["body", "prompt"]],
      ["agent", { prompt: "x", max_credits: 51 }, 422, ["body", "max_credits"]],
      ["agent", { prompt: "x", max_sources: 0 }, 422, ["body", "max_sources"]],
      ["job_status", { job_id: "job_0123456789ab" }, 404, []],
      ["markdown", { url: world.at("/gone") }, 502, []],
    ];
    for (const [tool, args, status, place] of cases) {
      const { isError, content } = await searchclaw.call(tool, args);
      const [first] = content;
      const text = first?.type === "text" ? first.text : "";
      const [, code, body = "{}"] = /^SearchClaw API error (\d+): (.*)$/s.exec(text) ?? [];
      expect([tool, isError, Number(code)]).toEqual([tool, true, status]);
      const told: unknown = JSON.parse(body);
      if (status !== 422) expect(detail.safeParse(told).success).toBe(true);
      else expect([tool, problems.parse(told).detail[0]?.loc]).toEqual([tool, place]);
      expect(text).not.toMatch(/crawl_site|page_\w+|web_search|search_extract|run_agent|kind "|urls|task\b/);
    }
  });
});

/** A number that is whole is one. */
function toFacts([name, { type, default: usual }]: [string, Properties[string]]): unknown[] {
  return [name, type === "integer" ? "number" : type, ...(usual === undefined ? [] : [usual])];
}
