import { Client } from "@modelcontextprotocol/client";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createClient } from "../../../../src/faces/door/local-client.ts";
import { hasBrowser } from "../../../kinds/page/world.ts";
import { designPage } from "../../../library/design-page.ts";
import { openTransport } from "../../mcp/official-client.ts";
import { serveBuilt, type TestServer } from "../../mcp/server-process.ts";

type Reply = Record<string, unknown>;

const number = expect.any(Number) as number;
const text = expect.any(String) as string;
const uuid = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/) as string;
const unknownId = "01a1e1c2-c303-7000-b83d-4afd30c19974";

/** The names, types and codes are those of the original's own schemas. */
describe.skipIf(!hasBrowser)("the library tools of the profile reftrix, as the original has them", () => {
  let home = "";
  let site: Server;
  let url = "";
  let server: TestServer;
  let client: Client;
  let pageId = "";
  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), "longhaul-reftrix-library-"));
    site = createServer((request, response) => {
      const isRobots = request.url === "/robots.txt";
      response.writeHead(200, { "content-type": isRobots ? "text/plain" : "text/html" });
      response.end(isRobots ? "" : designPage);
    });
    await new Promise<void>((resolve) => {
      site.listen(0, "127.0.0.1", resolve);
    });
    const { port } = site.address() as AddressInfo;
    url = `http://127.0.0.1:${port}/`;
    const config = { net: { allow: [`127.0.0.1:${port}`] }, retention: { succeeded_hours: 0 } };
    writeFileSync(join(home, "config.json"), JSON.stringify(config));
    server = await serveBuilt(home);
    client = new Client({ name: "drop-in", version: "0.0.0" });
    await client.connect(openTransport({ ...server, url: `${server.url}/reftrix` }, "http", server.token));
    const analysed = await call("page.analyze", {
      url,
      async: false,
      features: { quality: false },
      responsiveOptions: { enabled: true },
    });
    pageId = (analysed["data"] as Reply)["id"] as string;
    // The job goes; what the library keeps of it stays.
    await createClient(join(home, "longhaul.sock")).call("jobs_prune", {});
  });
  afterAll(async () => {
    await client.close();
    await server.stop();
    site.closeAllConnections();
    site.close();
    rmSync(home, { recursive: true, force: true });
  });

  const call = async (name: string, args: Reply = {}): Promise<Reply> => {
    const { structuredContent } = await client.callTool({ name, arguments: args }, { timeout: 55_000 });
    return structuredContent as Reply;
  };
  const data = async (name: string, args: Reply = {}): Promise<Reply> => {
    const reply = await call(name, args);
    expect(reply).toMatchObject({ success: true });
    return reply["data"] as Reply;
  };
  const results = async (name: string, args: Reply): Promise<Reply[]> => (await data(name, args))["results"] as Reply[];
  const errorOf = async (name: string, args: Reply): Promise<Reply> => {
    const reply = await call(name, args);
    expect(reply).toMatchObject({ success: false });
    return reply["error"] as Reply;
  };

  it("lists them with the original's parameters, bounds and defaults", async () => {
    const { tools } = await client.listTools();
    const schemaOf = (name: string): unknown => tools.find((tool) => tool.name === name)?.inputSchema.properties;
    const paging = { query: { minLength: 1, maxLength: 500 }, limit: { minimum: 1, maximum: 50, default: 10 } };
    expect(schemaOf("layout_search")).toMatchObject({
      ...paging,
      offset: { default: 0 },
      include_preview: { default: true },
      preview_max_length: { minimum: 100, maximum: 1_000, default: 500 },
      search_mode: { enum: ["text_only", "vision_only", "combined"], default: "text_only" },
    });
    expect(schemaOf("background_search")).toMatchObject(paging);
    expect(schemaOf("responsive_search")).toMatchObject(paging);
    expect(schemaOf("motion_search")).toMatchObject({
      action: { enum: ["search", "generate"], default: "search" },
      minSimilarity: { default: 0.5 },
      include_js_animations: { default: true },
    });
    expect(schemaOf("layout_generate_code")).toMatchObject({ patternId: { format: "uuid" } });
    expect(schemaOf("brief_validate")).toMatchObject({ strictMode: { default: false } });
  });

  it("layout.search finds sections, with a preview of their HTML and nothing that runs in it", async () => {
    const found = await data("layout.search", {
      query: "dark hero with gradient",
      include_html: true,
      filters: { sectionType: "hero", visualFeatures: { theme: { type: "dark" } } },
    });
    expect(found).toEqual({
      results: [
        {
          id: uuid,
          webPageId: pageId,
          type: "hero",
          similarity: number,
          preview: { heading: "Sail at night", description: text },
          source: { url, type: "user_provided", usageScope: "inspiration_only" },
          html: text,
          htmlPreview: text,
          previewLength: number,
        },
      ],
      total: 1,
      query: "dark hero with gradient",
      filters: { sectionType: "hero", visualFeatures: { theme: { type: "dark" } } },
      filtersApplied: ["visualFeatures", "sectionType"],
      searchTimeMs: number,
      searchMode: "text_only",
      actualSearchMode: "text_only",
      warnings: [],
    });
    const [first] = found["results"] as Reply[];
    expect(first?.["html"]).toContain("<h1>Sail at night</h1>");
    expect(first?.["html"]).not.toMatch(/script|onclick|iframe|javascript:/i);
    expect(await results("layout.search", { query: "hero", filters: { usageScope: "owned_asset" } })).toEqual([]);
    expect(await data("layout.search", { query: "hero", search_mode: "combined" })).toMatchObject({
      searchMode: "combined",
      actualSearchMode: "text_only",
      fallbackReason: text,
    });
  });

  it.each([
    ["react", true, true, "NightHero.tsx", ["react", "tailwindcss"]],
    ["react", false, false, "NightHero.jsx", ["react"]],
    ["vue", true, false, "NightHero.vue", ["vue"]],
    ["html", true, true, "night-hero.html", ["tailwindcss"]],
  ])(
    "layout.generate_code writes %s (TypeScript: %s, Tailwind: %s)",
    async (framework, typescript, tailwind, ...end) => {
      const [section] = await results("layout.search", { query: "hero", filters: { sectionType: "hero" } });
      const options = { framework, typescript, tailwind, componentName: "NightHero" };
      expect(await data("layout.generate_code", { patternId: section?.["id"], options })).toEqual({
        code: expect.stringContaining("Sail at night") as string,
        framework,
        componentName: "NightHero",
        filename: end[0],
        dependencies: end[1],
        inspirationUrls: [url],
        usageScope: "inspiration_only",
      });
    },
  );

  it("layout.generate_code takes the original's defaults, and refuses in its codes", async () => {
    const [section] = await results("layout.search", { query: "hero", filters: { sectionType: "hero" } });
    expect(await data("layout.generate_code", { patternId: section?.["id"] })).toMatchObject({
      framework: "react",
      componentName: "HeroSection",
      filename: "HeroSection.tsx",
      dependencies: ["react", "tailwindcss"],
    });
    expect(await errorOf("layout.generate_code", { patternId: unknownId })).toMatchObject({
      code: "PATTERN_NOT_FOUND",
    });
    expect(await errorOf("layout.generate_code", { patternId: "nonsense" })).toMatchObject({
      code: "VALIDATION_ERROR",
    });
    const small = { patternId: unknownId, options: { componentName: "lower" } };
    expect(await errorOf("layout.generate_code", small)).toMatchObject({ code: "VALIDATION_ERROR" });
  });

  it("motion.search finds motions by words, by a sample and by filters", async () => {
    const found = await data("motion.search", {
      query: "hover transform",
      minSimilarity: 0.3,
      include_implementation: true,
    });
    expect(found).toMatchObject({ total: number, query: { text: "hover transform" } });
    const [first] = found["results"] as Reply[];
    expect(first).toEqual({
      pattern: {
        id: uuid,
        type: "css_transition",
        category: text,
        name: text,
        selector: text,
        trigger: "hover",
        animation: { duration: 200, delay: 0, easing: { type: "ease-out" }, iterations: 1 },
        properties: [{ property: "transform" }],
        performance: { usesTransform: true, usesOpacity: false, triggersLayout: false, triggersPaint: false },
        accessibility: { respectsReducedMotion: false },
        detectionSource: text,
      },
      similarity: number,
      source: { pageId, url, selector: text },
      implementation: { transition: "transform 200ms ease-out 0ms", tailwind: text },
    });
    const bySample = { samplePattern: { type: "animation", duration: 800 }, filters: { minDuration: 500 } };
    const [slow] = await results("motion.search", bySample);
    expect(slow?.["pattern"]).toMatchObject({ animation: { duration: 800 } });
    expect(await errorOf("motion.search", {})).toMatchObject({ code: "VALIDATION_ERROR" });
  });

  it("motion.search generates code, and says which formats it cannot make", async () => {
    const pattern = { type: "animation", name: "fadeIn", properties: [{ name: "opacity", from: "0", to: "1" }] };
    expect(await data("motion.search", { action: "generate", pattern })).toEqual({
      code: expect.stringContaining("@keyframes fade-in {\n  0% { opacity: 0; }\n  100% { opacity: 1; }\n}") as string,
      format: "css",
      metadata: { linesOfCode: number, hasKeyframes: true, hasReducedMotion: true, dependencies: [] },
    });
    expect(await data("motion.search", { action: "generate", pattern, format: "gsap" })).toMatchObject({
      metadata: { dependencies: ["gsap"] },
    });
    expect(await errorOf("motion.search", { action: "generate", pattern, format: "lottie" })).toMatchObject({
      code: "VALIDATION_ERROR",
      message: expect.stringContaining("lottie") as string,
    });
    expect(await errorOf("motion.search", { action: "generate" })).toMatchObject({ code: "VALIDATION_ERROR" });
  });

  it("background.search finds backgrounds by kind and colour", async () => {
    const found = await data("background.search", {
      query: "blue gradient",
      filters: { designType: "linear_gradient" },
    });
    expect(found).toMatchObject({ total: number, query: "blue gradient", searchTimeMs: number });
    expect((found["results"] as Reply[])[0]).toEqual({
      id: uuid,
      designType: "linear_gradient",
      cssValue: expect.stringContaining("linear-gradient(135deg") as string,
      similarity: number,
      source: { webPageId: pageId },
      name: "linear gradient",
      selector: text,
      colorInfo: { colors: ["#1b2a6b", "#0b1026"] },
      textRepresentation: text,
    });
  });

  it("responsive.search finds pages by how they change", async () => {
    const filters = { diffCategory: "layout", breakpointRange: { min: 800, max: 1_000 } };
    const found = await data("responsive.search", { query: "columns", filters });
    expect((found["results"] as Reply[])[0]).toEqual({
      id: uuid,
      similarity: number,
      url,
      source: { webPageId: pageId, responsiveAnalysisId: uuid },
      viewportsAnalyzed: expect.arrayContaining([{ name: "mobile", width: 375, height: 667 }]) as unknown,
      differencesCount: number,
      breakpointsCount: 1,
      screenshotDiffs: [],
      analysisTimeMs: number,
      textRepresentation: expect.stringContaining("columns") as string,
    });
    const none = { query: "columns", filters: { breakpointRange: { min: 2_000 } } };
    expect(await results("responsive.search", none)).toEqual([]);
  });

  it("brief.validate scores a brief as the original weighs it", async () => {
    const brief = {
      projectName: "Ferry",
      description: "A page for a ferry that sails at night, for people who like to wake up elsewhere.",
      targetAudience: "Travellers without a car",
      industry: "travel",
      tone: ["minimal"],
    };
    expect(await data("brief.validate", { brief })).toEqual({
      isValid: true,
      completenessScore: 70,
      issues: ["colorPreferences", "references", "constraints"].map((field) => ({
        field,
        severity: "suggestion",
        message: text,
        suggestion: text,
      })),
      suggestions: [text, text, text],
      readyForDesign: true,
    });
    const strict = await data("brief.validate", { brief, strictMode: true });
    expect(strict).toMatchObject({ isValid: false, readyForDesign: false, completenessScore: 70 });
    const errors = (strict["issues"] as Reply[]).filter(({ severity }) => severity === "error");
    expect(errors.map(({ field }) => field)).toEqual(["description", "colorPreferences", "references"]);
    expect(await data("brief.validate", { brief: { projectName: "ab" } })).toMatchObject({
      isValid: false,
      completenessScore: 0,
      readyForDesign: false,
    });
    const reddish = { brief: { ...brief, colorPreferences: { primary: "red" } } };
    expect(await errorOf("brief.validate", reddish)).toMatchObject({ code: "VALIDATION_ERROR" });
  });

  it("a page id works after its job has gone", async () => {
    const job = await errorOf("page.getJobStatus", { job_id: pageId });
    expect(job).toMatchObject({ code: "JOB_NOT_FOUND" });
    expect(await data("layout.inspect", { id: pageId })).toMatchObject({ sections: expect.anything() as unknown });
    expect(await data("style.get_palette", { id: pageId })).toMatchObject({ palette: expect.anything() as unknown });
    expect(await data("motion.detect", { pageId })).toMatchObject({ patterns: expect.anything() as unknown });
    // It had not been judged: its address is known, so it is analysed for that now.
    expect(await call("quality.evaluate", { pageId })).toMatchObject({ success: true });
  });

  it("saveToDb: false keeps a page out of the library", async () => {
    const before = await results("layout.search", { query: "hero", filters: { sectionType: "hero" } });
    await call("page.analyze", {
      url,
      async: false,
      features: { quality: false, motion: false },
      responsiveOptions: { enabled: false },
      layoutOptions: { saveToDb: false },
    });
    expect(await results("layout.search", { query: "hero", filters: { sectionType: "hero" } })).toHaveLength(
      before.length,
    );
  });
});
