import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createWebAccess } from "../../../src/server/agent-web.ts";
import { listen, localSettings } from "../crawl/world.ts";
import { call, toolResults, useAgents } from "./world.ts";

const world = useAgents();

const server = `
import { McpServer } from "@modelcontextprotocol/server";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";
const mcp = new McpServer({ name: "sums", version: "1" });
mcp.registerTool("add", { description: "Add", inputSchema: z.object({ a: z.number(), b: z.number() }), annotations: { readOnlyHint: true } },
  ({ a, b }) => ({ content: [{ type: "text", text: String(a + b) + " " + (process.env.SUM_UNIT ?? "") }] }));
mcp.registerTool("erase", { description: "Erase", inputSchema: z.object({}) }, () => ({ isError: true, content: [{ type: "text", text: "nothing to erase" }] }));
await mcp.connect(new StdioServerTransport());
`;

describe("MCP servers of the configuration", () => {
  it("add their tools under their names, in a run that only reads only those that only read; one that is not there is left out", async () => {
    const { models } = world();
    const args = ["--input-type=module", "-e", server];
    const mcpServers = {
      sums: {
        command: process.execPath,
        args,
        env: { SUM_UNIT: "apples" },
        cwd: join(import.meta.dirname, "../../.."),
      },
      gone: { command: "/nonexistent", args: [], env: {} },
    };
    const engine = await world().open({ mcpServers });
    models.script("m", call("sums_add", { a: 2, b: 3 }), call("sums_erase", {}), { text: "Five." });
    const job = await world().run();
    expect(await world().result(job)).toMatchObject({ output: "Five." });
    expect(toolResults(models.heard.at(-1)?.body ?? {})).toEqual(["5 apples", "nothing to erase"]);
    const events = await engine.events(job.id);
    expect(events).toContainEqual(
      expect.objectContaining({
        type: "message-logged",
        level: "warn",
        message: expect.stringContaining('"gone"') as string,
      }),
    );
    models.script("m", { text: "ok" });
    await world().run({ read_only: true });
    const offered = JSON.stringify(models.heard.at(-1)?.body["tools"]);
    expect(offered).toContain("sums_add");
    expect(offered).not.toContain("sums_erase");
  });
});

describe("the web", () => {
  it("is read and searched as crawl jobs do it, through the guard and with robots.txt; keys are hidden", async () => {
    const secret = "key-of-the-search-engine";
    const types: Record<string, string> = { "/robots.txt": "text/plain", "/data.json": "application/json" };
    const url = await listen((request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? "", "http://localhost");
      response.setHeader("content-type", types[pathname] ?? "text/html; charset=utf-8");
      if (pathname === "/robots.txt") response.end("User-agent: *\nDisallow: /private");
      else if (pathname === "/data.json") response.end('{ "a": "<b>" }');
      else if (pathname === "/web/search") {
        const told = `q=${searchParams.get("q")} key=${String(request.headers["x-subscription-token"])}`;
        response.end(
          JSON.stringify({ web: { results: [{ title: "Hit", url: "https://a.example/", description: told }] } }),
        );
      } else response.end("<html><body><main><h1>Title</h1><p>Some <b>bold</b> text.</p></main></body></html>");
    });
    const settings = localSettings();
    const search = { engine: "brave", apiKey: secret, baseUrl: url, web: settings.web } as const;
    const { models } = world();
    await world().open({ web: createWebAccess({ ...settings, search }) });
    models.script(
      "m",
      call("web_fetch", { url: `${url}/page` }),
      call("web_fetch", { url: `${url}/data.json` }),
      call("web_search", { query: "a b&c" }),
      call("web_fetch", { url: `${url}/private` }),
      call("web_fetch", { url: "http://169.254.169.254/latest" }),
      call("web_fetch", { url: "file:///etc/passwd" }),
      { text: "ok" },
    );
    await world().run({ read_only: true });
    const [page, data, hits, forbidden, blocked, other] = toolResults(models.heard.at(-1)?.body ?? {});
    expect(page).toBe(`${url}/page\n\n# Title\n\nSome **bold** text.`);
    expect(data).toBe(`${url}/data.json\n\n{ "a": "<b>" }`);
    expect(hits).toBe("Hit\nhttps://a.example/\nq=a b&c key=[redacted]");
    expect(forbidden).toContain("robots.txt");
    expect(blocked).toMatch(/169\.254\.169\.254/);
    expect(blocked).not.toContain("answered");
    expect(other).toContain("must be an http or https URL");
  });
});
