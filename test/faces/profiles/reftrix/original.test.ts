import { Client, type CallToolResult } from "@modelcontextprotocol/client";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cleanPage } from "../../../kinds/page/pages.ts";
import { hasBrowser } from "../../../kinds/page/world.ts";
import { until } from "../../../until.ts";
import { openTransport } from "../../mcp/official-client.ts";
import { serveBuilt, type TestServer } from "../../mcp/server-process.ts";
import { livelyPage } from "./lively-page.ts";
import original from "./original.json" with { type: "json" };
import { differingParameters, type Takes } from "./parameters.ts";
import { differencesFrom } from "./shape.ts";

type Reply = Record<string, unknown>;

/** What is ours besides. */
const additions = new Set([
  "page.analyze.quality.recommendations.*.expectedImpact",
  "page.analyze.quality.findings",
  "system.health.version",
  "system.health.uptimeSeconds",
  "system.health.jobs",
]);

const onlyLayout = { features: { motion: false, quality: false }, responsiveOptions: { enabled: false } };
const patience = { timeoutMs: 100_000 };
const unknownId = "01a1e1c2-c303-7000-b83d-4afd30c19974";

describe.skipIf(!hasBrowser)("the profile reftrix beside the schemas of the original", () => {
  let home = "";
  let site: Server;
  let url = "";
  let server: TestServer;
  let client: Client;
  let pageId = "";
  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), "longhaul-reftrix-"));
    const pages: Record<string, string> = { "/": cleanPage, "/lively": livelyPage, "/private": cleanPage };
    site = createServer((request, response) => {
      const isRobots = request.url === "/robots.txt";
      const page = isRobots ? "User-agent: *\nDisallow: /private" : pages[request.url ?? ""];
      const type = isRobots ? "text/plain" : "text/html; charset=utf-8";
      response.writeHead(page === undefined ? 404 : 200, { "content-type": type }).end(page ?? "no such page");
    });
    await new Promise<void>((resolve) => {
      site.listen(0, "127.0.0.1", resolve);
    });
    const { port } = site.address() as AddressInfo;
    url = `http://127.0.0.1:${port}`;
    writeFileSync(join(home, "config.json"), JSON.stringify({ net: { allow: [`127.0.0.1:${port}`] } }));
    server = await serveBuilt(home);
    client = new Client({ name: "drop-in", version: "0.0.0" });
    await client.connect(openTransport({ ...server, url: `${server.url}/reftrix` }, "http", server.token));
    const { data } = await call("page.analyze", { url: `${url}/lively`, async: false });
    pageId = String((data as Reply)["id"]);
  });
  afterAll(async () => {
    await client.close();
    await server.stop();
    site.closeAllConnections();
    site.close();
    rmSync(home, { recursive: true, force: true });
  });

  const callTool = (name: string, args: Reply): Promise<CallToolResult> =>
    client.callTool({ name, arguments: args }, { timeout: 110_000 });
  const call = async (name: string, args: Reply = {}): Promise<Reply> => {
    const { structuredContent, isError } = await callTool(name, args);
    if (isError === true) throw new Error(JSON.stringify(structuredContent));
    return structuredContent as Reply;
  };
  /** What a tool answers, and where that is not what the original's schema asks for. */
  const compare = async (title: string, args: Reply = {}): Promise<{ data: Reply; differences: string[] }> => {
    const [tool = ""] = title.split(":");
    const body = await call(tool, args);
    const data = (body["success"] === true ? body["data"] : body) as Reply;
    const { warnings, ...rest } = data;
    // Every tool may warn of parameters; two have a place of their own for warnings.
    const told = tool === "page.analyze" || tool === "motion.detect" ? data : rest;
    void warnings;
    const shape = original.replies[title as keyof typeof original.replies];
    const found = differencesFrom(shape, told, tool);
    return { data, differences: found.filter((text) => !isKnown(text)) };
  };
  const seen = new Set<string>();
  const isKnown = (text: string): boolean => {
    const [, place = "", what] = /^(.*) is (missing|new)$/.exec(text) ?? [];
    const isListed = what === "new" && additions.has(place);
    if (isListed) seen.add(place);
    return isListed;
  };

  it("has its name, and lists every tool with its title, hints and parameters, their bounds and defaults", async () => {
    expect(client.getServerVersion()?.name).toBe(original.server);
    const { tools } = await client.listTools();
    for (const [name, { title, hints, takes }] of Object.entries(original.tools)) {
      const ours = tools.find((tool) => tool.name === name.replace(".", "_"));
      expect(ours?.title).toBe(title);
      const { readOnlyHint, idempotentHint, openWorldHint } = ours?.annotations ?? {};
      expect([name, readOnlyHint, idempotentHint, openWorldHint]).toEqual([name, ...hints]);
      expect(differingParameters(ours?.inputSchema, takes as Takes, name)).toEqual([]);
    }
  });

  it.each([
    ["page.analyze", {}],
    ["page.analyze: summary true", { summary: true }],
    ["page.analyze", { summary: false, layoutOptions: { include_html: true, include_screenshot: true } }],
    [
      "page.analyze",
      { ...onlyLayout, features: { layout: false, quality: false }, motionOptions: { analyze_frames: true } },
    ],
  ])(
    "answers %s field by field as the original's schema has it, with %j",
    { timeout: 120_000 },
    async (title, args) => {
      const { differences, data } = await compare(title, { url: `${url}/lively`, async: false, ...args });
      expect(differences).toEqual([]);
      expect(data).toHaveProperty("execution_status.phase_timeouts.layout", 120_000);
    },
  );

  it("tells a submit and each state of the job in the original's words", { timeout: 120_000 }, async () => {
    const submitted = await compare("page.analyze: submitted", { url: `${url}/lively`, async: true });
    expect(submitted.differences).toEqual([]);
    const wait = async (id: unknown, end: string): Promise<void> => {
      await until(async () => {
        const { data } = await call("page.getJobStatus", { job_id: id });
        const { status } = data as Reply;
        const title =
          status === "completed" || status === "failed" ? `page.getJobStatus: ${status}` : "page.getJobStatus";
        // It may have gone on in between: then it is looked at again.
        const { data: told, differences } = await compare(title, { job_id: id });
        if (told["status"] === status) expect(differences).toEqual([]);
        return told["status"] === end && status === end;
      }, patience);
    };
    await wait(submitted.data["jobId"], "completed");
    const failing = await call("page.analyze", { url: `${url}/missing`, async: true, auto_retry: false });
    await wait(failing["jobId"], "failed");
  });

  it("answers every other tool field by field as the original's schema has it", { timeout: 300_000 }, async () => {
    const calls: [string, Reply][] = [
      [
        "layout.ingest",
        {
          url: `${url}/lively`,
          options: { include_html: true, include_screenshot: true, responsive: { enabled: true } },
        },
      ],
      ["layout.inspect", { id: pageId }],
      [
        "layout.inspect",
        {
          html: cleanPage,
          options: { detectSections: false, extractColors: false, analyzeTypography: false, detectGrid: false },
        },
      ],
      ["layout.batch_ingest", { urls: [`${url}/`, `${url}/missing`] }],
      ["motion.detect", { pageId, summary: false, detect_js_animations: true }],
      ["motion.detect: summary true", { pageId, summary: true }],
      ["motion.detect", { url: `${url}/lively` }],
      ["motion.detect", { html: livelyPage, truncate_max_chars: 700, min_severity: "warning" }],
      ["quality.evaluate", { pageId }],
      [
        "quality.evaluate",
        { html: livelyPage, summary: false, targetIndustry: "shipping", context: { targetAudience: "sailors" } },
      ],
      [
        "quality.evaluate",
        { pageId, patternComparison: { enabled: false }, responsive_evaluation: { enabled: true, url: `${url}/` } },
      ],
      [
        "quality.evaluate: suggest_improvements",
        { html: livelyPage, action: "suggest_improvements", maxSuggestions: 3 },
      ],
      ["style.get_palette: list", {}],
      ["style.get_palette: list", { brand_name: "127.0.0", mode: "light" }],
      ["style.get_palette: one", { id: pageId }],
      [
        "style.get_palette: one",
        {
          id: pageId,
          auto_generate_gradients: true,
          gradient_options: { type: "radial", include_complementary: true },
        },
      ],
      ["system.health", {}],
    ];
    for (const [title, args] of calls) {
      const { differences } = await compare(title, args);
      expect([title, args, differences]).toEqual([title, args, []]);
    }
  });

  it("judges a batch item by item, and goes on past what is not there", { timeout: 120_000 }, async () => {
    const items = [{ pageId: unknownId }, { pageId }, { html: livelyPage }];
    const started = await compare("quality.batch_evaluate", { items });
    expect(started.differences).toEqual([]);
    const look = (): ReturnType<typeof compare> => compare("quality.getJobStatus", { job_id: started.data["job_id"] });
    await until(async () => {
      const { data, differences } = await look();
      expect(differences).toEqual([]);
      return data["status"] === "completed";
    }, patience);
    const { data } = await look();
    expect(data).toMatchObject({ progress: 100, totalItems: 3, processedItems: 3, successItems: 2, failedItems: 1 });
    expect(data).toMatchObject({
      result: {
        success: false,
        results: [
          { index: 0, success: false, error: { code: "EVALUATION_ERROR" } },
          { index: 1, success: true },
          { index: 2, success: true },
        ],
      },
    });
  });

  it("differs where it is said to, and nowhere else", () => {
    expect([...seen].toSorted()).toEqual([...additions].toSorted());
  });

  it("refuses under the codes that each tool of the original has", { timeout: 120_000 }, async () => {
    const sync = { async: false, auto_retry: false, ...onlyLayout };
    const refusals: [string, Reply, string][] = [
      ["page.analyze", { url: "ftp://example.org/" }, "VALIDATION_ERROR"],
      ["page.analyze", { url: "http://169.254.169.254/", ...sync }, "SSRF_BLOCKED"],
      ["page.analyze", { url: `${url}/private`, ...sync }, "ROBOTS_TXT_BLOCKED"],
      ["page.analyze", { url: `${url}/missing`, ...sync }, "HTTP_ERROR"],
      ["page.getJobStatus", { job_id: unknownId }, "JOB_NOT_FOUND"],
      ["page.getJobStatus", { job_id: "nonsense" }, "VALIDATION_ERROR"],
      ["quality.getJobStatus", { job_id: unknownId }, "JOB_NOT_FOUND"],
      ["layout.ingest", { url: `${url}/missing` }, "HTTP_ERROR"],
      ["layout.ingest", { url: `${url}/private` }, "ROBOTS_TXT_BLOCKED"],
      ["layout.inspect", { id: unknownId }, "NOT_FOUND"],
      ["layout.inspect", {}, "VALIDATION_ERROR"],
      ["layout.inspect", { screenshot: { base64: "x".repeat(100) } }, "SERVICE_UNAVAILABLE"],
      ["layout.batch_ingest", { urls: [`${url}/missing`, `${url}/`], options: { on_error: "abort" } }, "BATCH_ABORTED"],
      ["layout.batch_ingest", { urls: [] }, "VALIDATION_ERROR"],
      ["motion.detect", { pageId: unknownId }, "PAGE_NOT_FOUND"],
      ["motion.detect", { url: "http://169.254.169.254/" }, "SSRF_BLOCKED"],
      ["motion.detect", { url: `${url}/missing` }, "DETECTION_ERROR"],
      ["quality.evaluate", { pageId: unknownId }, "PAGE_NOT_FOUND"],
      ["quality.evaluate", { pageId, weights: { originality: 1 } }, "VALIDATION_ERROR"],
      ["quality.evaluate", { pageId, html: "<p>x" }, "VALIDATION_ERROR"],
      ["style.get_palette", { id: "nonsense" }, "CREATIVE_INVALID_PALETTE_ID"],
      ["style.get_palette", { id: unknownId }, "CREATIVE_PALETTE_NOT_FOUND"],
      ["style.get_palette", { mode: "grey" }, "VALIDATION_ERROR"],
    ];
    for (const [name, args, code] of refusals) {
      const { isError, structuredContent } = await callTool(name, args);
      const { success, error } = structuredContent as { success: boolean; error: { code: string; message: string } };
      expect([name, args, isError, success, error.code]).toEqual([name, args, true, false, code]);
      expect(original.errors[name as keyof typeof original.errors].split("|")).toContain(error.code);
    }
  });

  it("tells with an aborted batch what had been loaded by then, and with a palette that is not there what to do", async () => {
    const urls = [`${url}/`, `${url}/missing`, `${url}/lively`];
    const aborted = await callTool("layout.batch_ingest", { urls, options: { on_error: "abort" } });
    expect(aborted.structuredContent).toMatchObject({
      error: { details: { completed: 1, failed: 1, results: [{ status: "success" }, { status: "failed" }] } },
    });
    const missing = await callTool("style.get_palette", { id: unknownId });
    expect(missing.structuredContent).toMatchObject({ error: { suggestion: expect.any(String) as string } });
  });
});
