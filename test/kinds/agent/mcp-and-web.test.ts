import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createAddressRules } from "../../../src/net/address-rules.ts";
import { createGuardedFetch } from "../../../src/net/guarded-fetch.ts";
import { createWebAccess } from "../../../src/server/agent-web.ts";
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
    await world().run({ readOnly: true });
    const offered = JSON.stringify(models.heard.at(-1)?.body["tools"]);
    expect(offered).toContain("sums_add");
    expect(offered).not.toContain("sums_erase");
  });
});

describe("the web", () => {
  it("is read as Markdown and searched, through the guard", async () => {
    const site = createServer((request, response) => {
      const isSearch = request.url?.startsWith("/res/v1/web/search") === true;
      response.setHeader("content-type", isSearch ? "application/json" : "text/html; charset=utf-8");
      if (isSearch) {
        const url = `q=${new URL(request.url ?? "", "http://x").searchParams.get("q")} key=${String(request.headers["x-subscription-token"])}`;
        response.end(JSON.stringify({ web: { results: [{ title: "Hit", url, description: "words" }] } }));
      } else response.end("<html><body><h1>Title</h1><p>Some <b>bold</b> text.</p></body></html>");
    });
    await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
    const host = `127.0.0.1:${(site.address() as AddressInfo).port}`;
    const guarded = createGuardedFetch({ rules: createAddressRules([host]), userAgent: "test" });
    onTestFinished(async () => {
      await guarded.close();
      await new Promise((resolve) => site.close(resolve));
    });
    const { models } = world();
    const web = createWebAccess(guarded, { engine: "brave", api_key: "search-key", base_url: `http://${host}` });
    await world().open({ web });
    models.script(
      "m",
      call("web_fetch", { url: `http://${host}/page` }),
      call("web_search", { query: "a b&c" }),
      call("web_fetch", { url: "http://169.254.169.254/latest" }),
      { text: "ok" },
    );
    await world().run({ readOnly: true });
    const [page, hits, blocked] = toolResults(models.heard.at(-1)?.body ?? {});
    expect(page).toBe(`http://${host}/page\n\n# Title\n\nSome **bold** text.`);
    expect(hits).toBe("Hit\nq=a b&c key=search-key\nwords");
    expect(blocked).toMatch(/169\.254\.169\.254/);
    expect(blocked).not.toContain("answered");
  });
});
