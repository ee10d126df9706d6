import { Client, type CallToolResult } from "@modelcontextprotocol/client";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createClient } from "../../../../src/faces/door/local-client.ts";
import { cleanPage, faultyPage } from "../../../kinds/page/pages.ts";
import { hasBrowser } from "../../../kinds/page/world.ts";
import { until } from "../../../until.ts";
import { openTransport } from "../../mcp/official-client.ts";
import { serveBuilt, type TestServer } from "../../mcp/server-process.ts";

type Reply = Record<string, unknown>;

const number = expect.any(Number) as number;
const text = expect.any(String) as string;
const list = expect.any(Array) as unknown[];
/** As little as can be analysed. */
const onlyMotion = { features: { layout: false, quality: false }, responsiveOptions: { enabled: false } };
const unknownId = "01a1e1c2-c303-7000-b83d-4afd30c19974";
const names = [
  "page.analyze",
  "page.getJobStatus",
  "layout.ingest",
  "layout.inspect",
  "layout.batch_ingest",
  "motion.detect",
  "quality.evaluate",
  "quality.batch_evaluate",
  "quality.getJobStatus",
  "style.get_palette",
  "layout.search",
  "layout.generate_code",
  "motion.search",
  "background.search",
  "responsive.search",
  "brief.validate",
  "system.health",
];

describe.skipIf(!hasBrowser)("the profile reftrix", () => {
  let home = "";
  let site: Server;
  let url = "";
  let pages: Record<string, string> = {};
  let server: TestServer;
  let client: Client;
  let core: Client;
  /** The page, analysed by the first test that waits for it. */
  let pageId = "";
  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), "longhaul-reftrix-"));
    pages = { "/": cleanPage, "/passing": cleanPage, "/faulty": faultyPage, "/private": cleanPage };
    site = createServer((request, response) => {
      const page = request.url === "/robots.txt" ? "User-agent: *\nDisallow: /private" : pages[request.url ?? ""];
      const type = request.url === "/robots.txt" ? "text/plain" : "text/html; charset=utf-8";
      response.writeHead(page === undefined ? 404 : 200, { "content-type": type }).end(page ?? "no such page");
    });
    await new Promise<void>((resolve) => {
      site.listen(0, "127.0.0.1", resolve);
    });
    const { port } = site.address() as AddressInfo;
    url = `http://127.0.0.1:${port}`;
    writeFileSync(join(home, "config.json"), JSON.stringify({ net: { allow: [`127.0.0.1:${port}`] } }));
    server = await serveBuilt(home);
    const connect = async (path: string): Promise<Client> => {
      const made = new Client({ name: "drop-in", version: "0.0.0" });
      await made.connect(openTransport({ ...server, url: `${server.url}${path}` }, "http", server.token));
      return made;
    };
    client = await connect("/reftrix");
    core = await connect("");
  });
  afterAll(async () => {
    await client.close();
    await core.close();
    await server.stop();
    site.closeAllConnections();
    site.close();
    rmSync(home, { recursive: true, force: true });
  });

  const call = async (name: string, args: Reply = {}): Promise<CallToolResult> =>
    client.callTool({ name, arguments: args }, { timeout: 55_000 });
  /** One text of pretty JSON and the same as structured content; whatever follows are links. */
  const body = async (name: string, args: Reply = {}): Promise<Reply> => {
    const { structuredContent, content } = await call(name, args);
    const [first, ...links] = content;
    expect(first?.type === "text" && first.text).toBe(JSON.stringify(structuredContent, null, 2));
    expect(links.every(({ type }) => type === "resource_link")).toBe(true);
    return structuredContent as Reply;
  };
  const data = async (name: string, args: Reply = {}): Promise<Reply> => {
    const reply = await body(name, args);
    expect(reply).toEqual({
      success: true,
      data: reply["data"],
      metadata: expect.objectContaining({ request_id: text }) as Reply,
    });
    return reply["data"] as Reply;
  };
  const error = async (name: string, args: Reply = {}): Promise<{ code: string; message: string }> => {
    const { isError, structuredContent } = await call(name, args);
    expect(isError).toBe(true);
    expect(structuredContent).toEqual({
      success: false,
      error: expect.objectContaining({ code: text, message: text }) as Reply,
      metadata: { request_id: text },
    });
    return (structuredContent as { error: { code: string; message: string } }).error;
  };
  const codes = (reply: Reply): string[] => ((reply["warnings"] ?? []) as { code: string }[]).map(({ code }) => code);
  const status = (id: string): Promise<Reply> => data("page.getJobStatus", { job_id: id });

  it("lists its tools once, under names that every client accepts, and takes calls with Reftrix's dots", async () => {
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(names.map((name) => name.replace(".", "_")));
    const [analyze, jobStatus] = tools;
    expect(analyze).toMatchObject({
      title: "Page Analyze",
      annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: true },
    });
    expect(jobStatus?.inputSchema).toMatchObject({ additionalProperties: false });
    expect(jobStatus?.annotations).toMatchObject({ openWorldHint: false });
    for (const name of ["system.health", "system_health"]) expect(await data(name)).toHaveProperty("version");
  });

  it("lists what it takes: every parameter with its bounds and the default that holds", async () => {
    const { tools } = await client.listTools();
    const { properties = {} } = tools.find(({ name }) => name === "page_analyze")?.inputSchema ?? {};
    expect(properties).toMatchObject({
      async: { type: "boolean" },
      timeout: { minimum: 5_000, maximum: 600_000, default: 600_000 },
      summary: { type: "boolean" },
      waitUntil: { default: "load" },
      max_retries: { minimum: 1, maximum: 3, default: 3 },
      qualityTimeout: { maximum: 60_000 },
      motionOptions: { properties: { maxPatterns: { maximum: 4_000, default: 500 }, timeout: { minimum: 30_000 } } },
    });
    for (const args of [
      { timeout: 4_999 },
      { timeout: 600_001 },
      { max_retries: 4 },
      { waitUntil: "soon" },
      { async: "maybe" },
    ]) {
      expect(await error("page.analyze", { url, ...args })).toMatchObject({
        code: "VALIDATION_ERROR",
        message: expect.stringContaining(Object.keys(args)[0] ?? "") as string,
      });
    }
  });

  it("waits with async: false and answers with a short result, texts taken as numbers and booleans", async () => {
    const reply = await call("page_analyze", {
      url: `${url}/`,
      async: "false",
      timeout: "60000",
      features: { motion: "true" },
    });
    const { data: page } = reply.structuredContent as { data: Reply };
    pageId = String(page["id"]);
    expect(page).toMatchObject({
      url: `${url}/`,
      normalizedUrl: url,
      metadata: { title: "Harbour Tools: a clean page", description: text },
      source: { type: "user_provided", usageScope: "inspiration_only" },
      layout: {
        success: true,
        pageId,
        sectionTypes: { hero: 1, pricing: 1, footer: 1 },
        cssFramework: { framework: "vanilla" },
        sections: expect.arrayContaining([
          { id: text, type: "hero", positionIndex: number, heading: "Tools for small harbours", confidence: number },
        ]) as unknown[],
        visualFeatures: {
          colors: { palette: expect.arrayContaining([{ color: "#FDFCF8", percentage: number }]) as unknown[] },
          theme: { type: "light", backgroundColor: "#FDFCF8", textColor: "#1B2A33" },
          gradient: { hasGradient: false, gradients: [] },
        },
        cssVariables: {
          variables: expect.arrayContaining([
            { name: "--sea", value: "#0b5d68", category: "color", scope: ":root" },
          ]) as unknown[],
          clampValues: [
            {
              property: "font-size",
              selector: "h1",
              min: "2rem",
              preferred: "5vw",
              max: "3.5rem",
              raw: "clamp(2rem, 5vw, 3.5rem)",
            },
          ],
        },
      },
      motion: { success: true, patternCount: 0, patterns: [], warnings: [] },
      quality: { success: true, axisGrades: { craftsmanship: text }, recommendations: list },
      responsiveAnalysis: { viewportsAnalyzed: ["desktop", "tablet", "mobile"], breakpoints: ["600px"] },
      warnings: [{ feature: "motion", code: "CSS_NO_ANIMATIONS_DETECTED", message: text }],
      actionable_warnings: [{ code: "CSS_NO_ANIMATIONS_DETECTED", severity: "warning" }],
      execution_status: {
        completed_phases: ["html", "screenshot", "layout", "motion", "quality"],
        failed_phases: [],
        original_timeout_ms: 60_000,
      },
    });
    // A page says no picture of itself, so none is told.
    expect(page["metadata"]).not.toHaveProperty("ogImage");
    const links = reply.content.flatMap((block) => (block.type === "resource_link" ? [block.name] : []));
    expect(links).toEqual(
      expect.arrayContaining(["analysis", "report.html", "screenshot.jpg", "screenshot-mobile.jpg"]),
    );
  });

  it("answers with a job id at once, and tells truly how the job goes", async () => {
    const first = await body("page.analyze", { url: `${url}/faulty`, responsiveOptions: { enabled: false } });
    const second = await body("page.analyze", { url: `${url}/faulty`, async: true, ...onlyMotion });
    const id = String(first["jobId"]);
    expect(first).toEqual({
      async: true,
      jobId: id,
      status: "queued",
      message: expect.stringContaining("async was not given") as string,
      polling: {
        intervalSeconds: 10,
        retentionHours: 24,
        howToCheck: expect.stringContaining(`{"job_id": "${id}"}`) as string,
      },
    });
    const seen: { progress: number; phase: unknown }[] = [];
    await until(async () => {
      const { status: state, progress, currentPhase, timestamps } = await status(id);
      expect(["waiting", "active", "completed"]).toContain(state);
      expect(timestamps).toMatchObject({ created: number });
      seen.push({ progress: Number(progress), phase: currentPhase });
      return state === "completed";
    });
    const progress = seen.map((entry) => entry.progress);
    expect(progress).toEqual(progress.toSorted((a, b) => a - b));
    const phases = new Set(seen.map(({ phase }) => phase));
    expect(
      [...phases].every(
        (phase) => phase === undefined || /^"(ingest|layout|motion|quality)"$/.test(JSON.stringify(phase)),
      ),
    ).toBe(true);
    expect(await status(id)).toEqual({
      jobId: id,
      status: "completed",
      progress: 100,
      timestamps: { created: number, started: number, completed: number },
      result: {
        webPageId: id,
        success: true,
        partialSuccess: false,
        completedPhases: ["ingest", "layout", "motion", "quality"],
        failedPhases: [],
        results: {
          layout: { sectionsDetected: number, visionUsed: false },
          motion: { patternsDetected: 3, jsAnimationsDetected: 0, webglAnimationsDetected: 0 },
          quality: { overallScore: number, grade: text },
        },
        processingTimeMs: number,
        completedAt: text,
      },
    });
    // The second submit has removed nothing, and its own job ends too, under each of the names for its id.
    await until(async () => (await data("page_getJobStatus", { jobId: second["jobId"] }))["status"] === "completed");
    expect(await data("page.getJobStatus", { task_id: pageId })).toMatchObject({ status: "completed" });
  });

  it("gives all that was found with summary: false, with HTML and screenshot if asked", async () => {
    const page = await data("page.analyze", {
      url: `${url}/faulty`,
      async: false,
      summary: false,
      responsiveOptions: { enabled: false },
      layoutOptions: { includeHtml: true, include_screenshot: true, viewport: { width: 800 } },
      motionOptions: { minDuration: 500, maxPatterns: 1 },
      qualityOptions: {
        weights: { originality: 0, craftsmanship: 1, contextuality: 0 },
        includeRecommendations: false,
      },
    });
    const { layout, motion, quality } = page as Record<string, Reply>;
    expect(layout?.["html"]).toContain("something went wrong");
    expect(layout?.["screenshot"]).toEqual({
      base64: expect.stringMatching(/^\/9j\//) as string,
      format: "jpeg",
      width: number,
      height: number,
    });
    expect(layout).toMatchObject({
      visualFeatures: {
        theme: { type: "light" },
        gradient: {
          hasGradient: true,
          dominantGradientType: "linear",
          gradients: [
            {
              direction: 90,
              colorStops: [
                { position: 0, color: "#6366F1" },
                { position: 1, color: "#A855F7" },
              ],
              region: { width: 1_900, height: 20 },
            },
          ],
        },
      },
      cssVariables: { variables: [] },
    });
    expect(motion?.["patterns"]).toEqual([
      {
        id: text,
        name: "spin",
        type: "css_animation",
        category: text,
        trigger: "load",
        duration: 1_000,
        easing: "linear",
        properties: ["transform"],
        performance: { level: "good", usesTransform: true, usesOpacity: false },
        accessibility: { respectsReducedMotion: false },
      },
    ]);
    expect(motion?.["warnings"]).toContainEqual({ code: "A11Y_NO_REDUCED_MOTION", severity: "warning", message: text });
    const { craftsmanship } = (quality ?? {})["axisScores"] as Record<string, number>;
    expect(quality).toMatchObject({
      overallScore: craftsmanship,
      axisGrades: { craftsmanship: text },
      cliches: list,
      findings: list,
    });
    expect(quality).not.toHaveProperty("recommendations");
  });

  it("warns of parameters that it cannot honour, and of those that it does not know", async () => {
    const asked = {
      layoutOptions: { useVision: true, saveToDb: true },
      motionOptions: {
        detection_mode: "css",
        video_options: { move_mouse: true },
        enable_frame_capture: false,
        frame_capture_options: { output_dir: "/tmp/frames" },
      },
      narrativeOptions: { enabled: true },
      visionOptions: { visionForceCpu: "true" },
      madeUp: 1,
    };
    const submitted = await body("page.analyze", {
      url: `${url}/`,
      async: true,
      ...onlyMotion,
      ...asked,
    });
    expect(submitted["warnings"]).toEqual([
      {
        feature: "layout",
        code: "VISION_NOT_AVAILABLE",
        message: expect.stringContaining("layoutOptions.useVision") as string,
      },
      { feature: "layout", code: "VISION_NOT_AVAILABLE", message: text },
      { feature: "layout", code: "VISION_NOT_AVAILABLE", message: text },
      { feature: "motion", code: "VIDEO_NOT_AVAILABLE", message: text },
      {
        feature: "motion",
        code: "ALWAYS_KEPT",
        message: expect.stringContaining("frame_capture_options.output_dir") as string,
      },
      { feature: "layout", code: "UNKNOWN_PARAMETER", message: expect.stringContaining("madeUp") as string },
    ]);
  });

  it("captures frames as files of the job, and compares them if asked", async () => {
    const motionOptions = {
      enable_frame_capture: true,
      frame_capture_options: {
        scroll_px_per_frame: 100,
        frame_interval_ms: 40,
        output_format: "jpeg",
        scroll_duration_sec: 0.1,
      },
    };
    const analyze = (options: Reply): Promise<CallToolResult> =>
      call("page.analyze", { url: `${url}/`, async: false, ...onlyMotion, motionOptions: options });
    const reply = await analyze(motionOptions);
    const { motion } = (reply.structuredContent as { data: Record<string, Reply> }).data;
    expect(motion?.["frame_capture"]).toMatchObject({
      total_frames: 3,
      config: { frame_interval_ms: 40, output_format: "jpeg", filename_pattern: "frame-{0000}.jpg" },
      files: [0, 1, 2].map((index) => ({
        frame_number: index,
        file_path: expect.stringMatching(new RegExp(`^job://.{36}/artifact/frame-000${index}.jpg$`)) as string,
      })),
    });
    expect(motion).not.toHaveProperty("frame_analysis");
    const links = reply.content.flatMap((block) => (block.type === "resource_link" ? [block.name] : []));
    expect(links).toContain("frame-0002.jpg");
    const compared = await analyze({
      ...motionOptions,
      analyze_frames: true,
      frame_analysis_options: { diff_threshold: 0.5 },
    });
    expect((compared.structuredContent as { data: Record<string, Reply> }).data["motion"]?.["frame_analysis"]).toEqual({
      timeline: [1, 2].map((index) => ({ frame_index: index, diff_percentage: number })),
      summary: {
        max_diff: number,
        avg_diff: number,
        significant_change_frames: [],
        total_layout_shifts: 0,
        processing_time_ms: number,
      },
    });
    const tooMany = { frame_capture_options: { frame_rate: 120, scroll_duration_sec: 60 } };
    expect(await error("page.analyze", { url: `${url}/`, motionOptions: tooMany })).toMatchObject({
      code: "VALIDATION_ERROR",
      message: expect.stringContaining("at most 3600 frames") as string,
    });
  });

  it("ingests a page, inspects its layout, and tells its palette", async () => {
    const page = await data("layout.ingest", {
      url: `${url}/`,
      usage_scope: "owned_asset",
      options: { include_html: true, truncate_html_bytes: 200, disable_javascript: true },
    });
    expect(page).toMatchObject({
      url: `${url}/`,
      normalizedUrl: url,
      metadata: { title: "Harbour Tools: a clean page" },
      source: { type: "user_provided", usageScope: "owned_asset" },
      crawledAt: text,
      savedToDb: true,
    });
    expect(page["html"]).toHaveLength(200);
    expect(codes(page)).toEqual(["FIXED_BY_ANALYSIS"]);
    const inspected = await data("layout.inspect", { id: page["id"], options: { detectGrid: false } });
    expect(inspected).toMatchObject({
      id: page["id"],
      sections: expect.arrayContaining([
        expect.objectContaining({
          type: "features",
          content: expect.objectContaining({
            headings: expect.arrayContaining([{ level: 3, text: "Berths" }]) as unknown[],
            paragraphs: expect.arrayContaining(["Who lies where, and until when."]) as unknown[],
          }) as unknown,
        }),
      ]) as unknown[],
      colors: { dominant: "#FDFCF8", background: "#FDFCF8", text: "#1B2A33" },
      typography: { bodySize: 18, lineHeight: 1.6 },
      grid: { type: "unknown" },
      textRepresentation: expect.stringContaining('hero "Tools for small harbours"') as string,
    });
    const { palette } = await data("style.get_palette", { id: page["id"], include_gradients: false });
    expect(palette).toMatchObject({
      brand_name: "127.0.0.1",
      mode: "light",
      tokens: {
        background: { hex: "#FDFCF8", usage: ["background"], oklch: { l: 0.991, c: 0.005, h: number } },
        foreground: { hex: "#1B2A33", contrast_with: [{ token: "background", min_ratio: 4.5 }] },
      },
    });
    expect(palette).not.toHaveProperty("gradients");
    const named = (args: Reply): Promise<Reply[]> =>
      data("style.get_palette", args).then(({ palettes }) => palettes as Reply[]);
    expect((await named({ brand_name: "127.0" })).map(({ id }) => id)).toContain(page["id"]);
    expect(await named({ brand_name: "elsewhere" })).toEqual([]);
    expect(await named({ mode: "dark" })).toEqual([]);
    const fromHtml = await data("layout.inspect", {
      html: "<!doctype html><main><h1>Only HTML</h1></main><footer>© us</footer>",
    });
    expect(fromHtml["sections"]).toContainEqual(expect.objectContaining({ type: "footer" }));
    expect(await error("layout.inspect", {})).toMatchObject({ code: "VALIDATION_ERROR" });
  });

  it("makes gradients of a palette's own colours if asked", async () => {
    const html = "<style>a { color: #c2410c } b { color: #0b5d68 }</style><h1>Sea</h1><a href=#x>one</a> <b>two</b>";
    const { id } = await data("layout.inspect", { html });
    const gradients = async (options: Reply): Promise<Reply[]> => {
      const args = { id, auto_generate_gradients: true, gradient_options: options };
      const { palette } = (await data("style.get_palette", args)) as { palette: { gradients: Reply[] } };
      return palette.gradients;
    };
    const stops = [
      { offset: 0, token: "primary" },
      { offset: 100, token: "secondary" },
    ];
    expect(await gradients({})).toEqual([
      {
        id: "auto-primary-secondary",
        name: "Primary to Secondary",
        type: "linear",
        angle: 135,
        stops,
        auto_generated: true,
      },
    ]);
    const pairs = {
      type: "radial",
      token_pairs: [
        ["secondary", "background"],
        ["secondary", "nothing"],
      ],
    };
    expect(await gradients(pairs)).toMatchObject([{ id: "auto-secondary-background", type: "radial", centerX: 0.5 }]);
    const turned = await gradients({ token_pairs: [], include_complementary: true });
    expect(turned).toHaveLength(2);
    expect(turned[0]).toMatchObject({
      stops: [{ token: "primary" }, { color: expect.stringMatching(/^#[0-9A-F]{6}$/) as string }],
    });
  });

  it("ingests many pages, and skips or stops at one that fails", async () => {
    const urls = [`${url}/`, `${url}/missing`, "http://169.254.169.254/"];
    const batch = await data("layout.batch_ingest", { urls, options: { concurrency: 2 } });
    expect(batch).toEqual({
      job_id: text,
      total: 3,
      completed: 1,
      failed: 2,
      results: [
        { url: urls[0], status: "success", page_id: text, patterns_extracted: number },
        { url: urls[1], status: "failed", error: expect.stringContaining("404") as string },
        { url: urls[2], status: "failed", error: text },
      ],
      summary: { success_rate: 33.33, total_patterns: number, processing_time_ms: number },
    });
    const stopped = await error("layout.batch_ingest", {
      urls: [urls[1], urls[0]],
      options: { concurrency: 2, on_error: "abort" },
    });
    expect(stopped).toMatchObject({ code: "BATCH_ABORTED", message: expect.stringContaining("/missing") as string });
  });

  it("detects motion in HTML with CSS, and in an analysed page", async () => {
    const css = "p { animation: fade 1s infinite } @keyframes fade { to { opacity: 0 } }";
    const found = await data("motion.detect", {
      html: "<p>Hello",
      css,
      min_severity: "warning",
      detection_mode: "video",
    });
    expect(found).toMatchObject({
      pageId: text,
      patterns: [
        {
          name: "fade",
          animation: { duration: 1_000, easing: { type: "ease" }, iterations: "infinite" },
          properties: [{ property: "opacity" }],
          performance: { level: "excellent", usesOpacity: true, triggersLayout: false },
          detectionSource: "runtime",
        },
      ],
      summary: { totalPatterns: 1, byType: { css_animation: 1 }, hasInfiniteAnimations: true },
      warnings: [{ code: "A11Y_NO_REDUCED_MOTION" }],
      metadata: { detection_mode: "video", schemaVersion: "0.1.0" },
      frame_capture: { total_frames: number },
      frame_analysis: { metadata: { totalFrames: number, analyzedPairs: number }, animationZones: list },
    });
    expect(await data("motion.detect", { pageId })).toMatchObject({
      pageId,
      patterns: [],
      metadata: { detection_mode: "css" },
    });
    const brief = await data("motion.detect", { html: "<p>Hello", css, summary: true, includeSummary: false });
    expect(brief["patterns"]).toEqual([
      { id: text, type: "css_animation", category: text, name: "fade", trigger: "load" },
    ]);
    expect(brief).not.toHaveProperty("summary");
    const cutOff = await data("motion.detect", { html: "<p>Hello", css, truncate_max_chars: 100 });
    expect(cutOff).toMatchObject({
      patterns: [],
      _truncated: true,
      _patterns_truncated_count: 1,
      _original_size: number,
    });
  });

  it("rates a page as it was rated, or anew by other measures", async () => {
    const known = await data("quality.evaluate", { pageId });
    expect(known).toMatchObject({
      pageId,
      overall: number,
      grade: text,
      craftsmanship: { score: number, grade: text, details: list },
      clicheDetection: { detected: false, count: 0, patterns: [] },
      axeAccessibility: { violations: [], passes: number, score: 100 },
      patternAnalysis: { patternDrivenEnabled: false, fallbackUsed: true },
    });
    const anew = await data("quality.evaluate", {
      pageId,
      weights: { originality: 0.5, craftsmanship: 0.5, contextuality: 0 },
      summary: false,
      patternComparison: { minSimilarity: 0.5 },
    });
    expect(anew["pageId"]).toBe(pageId);
    expect(anew["weights"]).toEqual({ originality: 0.5, craftsmanship: 0.5, contextuality: 0 });
    expect(anew["overall"]).toBe((anew["originality"] as Reply)["score"]);
    expect(codes(anew)).toEqual(["ORIGINALITY_NOT_RATED", "NO_DESIGN_DATABASE"]);
    const uneven = { originality: 1, craftsmanship: 1, contextuality: 0 };
    expect(await error("quality.evaluate", { pageId, weights: uneven })).toMatchObject({
      code: "VALIDATION_ERROR",
      message: expect.stringContaining("weights must add up to 1") as string,
    });
  });

  it("rates a batch in the background", async () => {
    const items = [{ pageId }, { html: "<!doctype html><title>x</title><h1>Hello" }];
    const started = await data("quality.batch_evaluate", { items, batch_size: 1, on_error: "abort" });
    expect(started).toEqual({
      job_id: text,
      status: "pending",
      total_items: 2,
      batch_size: 1,
      on_error: "abort",
      created_at: text,
      message: text,
    });
    const jobStatus = (): Promise<Reply> => data("quality.getJobStatus", { job_id: started["job_id"] });
    await until(async () => (await jobStatus())["status"] === "completed");
    expect(await jobStatus()).toMatchObject({
      jobId: started["job_id"],
      progress: 100,
      processedItems: 2,
      failedItems: 0,
      timestamps: { created: number, started: number, completed: number },
      result: {
        success: true,
        results: [0, 1].map((index) => ({
          index,
          success: true,
          data: { pageId: text, overall: number, grade: text },
        })),
      },
    });
    expect((await body("quality.getJobStatus", { job_id: started["job_id"] }))["metadata"]).toEqual({
      request_id: text,
      redis_used: false,
      lru_fallback: false,
    });
    expect(await error("quality.getJobStatus", { job_id: unknownId })).toMatchObject({ code: "JOB_NOT_FOUND" });
  });

  it("judges no more of a batch than its first failure lets it, and says why", async () => {
    const passing = await data("layout.ingest", { url: `${url}/passing` });
    delete pages["/passing"];
    const html = "<!doctype html><title>x</title><h1>Hello";
    const items = [{ html }, { pageId: passing["id"] }, { html }];
    const { job_id: id } = await data("quality.batch_evaluate", { items, batch_size: 1, on_error: "abort" });
    const jobStatus = (): Promise<Reply> => data("quality.getJobStatus", { job_id: id });
    await until(async () => (await jobStatus())["status"] === "completed");
    expect(await jobStatus()).toMatchObject({
      progress: 100,
      totalItems: 3,
      processedItems: 2,
      successItems: 1,
      failedItems: 1,
      result: {
        success: false,
        error: expect.stringMatching(/^Item 1 failed, so the rest was not judged: .*404/) as string,
        results: [
          { index: 0, success: true },
          { index: 1, success: false, error: { code: "EVALUATION_ERROR" } },
        ],
      },
    });
    const absent = [{ pageId: unknownId }, { html }];
    expect(await error("quality.batch_evaluate", { items: absent, on_error: "abort" })).toMatchObject({
      code: "PAGE_NOT_FOUND",
    });
  });

  it("tells how it is", async () => {
    expect(await data("system.health", { include_metrics: false, include_tools_status: false })).toEqual({
      status: "healthy",
      timestamp: text,
      version: text,
      uptimeSeconds: number,
      services: {
        initialization: {
          initializedCategories: ["store", "browser"],
          skippedCategories: list,
          errors: [],
          registeredToolCount: names.length,
        },
        pattern_services: {
          patternMatcher: "unavailable",
          benchmarkService: "unavailable",
          patternDrivenEvaluation: "fallback_mode",
        },
      },
      jobs: expect.any(Object) as Reply,
    });
    const { services } = (await data("system.health")) as { services: { tools: Reply } };
    expect(Object.keys(services.tools).toSorted()).toEqual(names.toSorted());
  });

  it("refuses under the codes that clients know", async () => {
    const sync = { async: false, auto_retry: false, ...onlyMotion };
    const refusal = async (address: string): Promise<string> =>
      (await error("page.analyze", { url: address, ...sync })).code;
    expect(await refusal("ftp://example.org/")).toBe("VALIDATION_ERROR");
    expect(await refusal("http://169.254.169.254/")).toBe("SSRF_BLOCKED");
    expect(await refusal(`${url}/missing`)).toBe("HTTP_ERROR");
    expect(await error("page.analyze", { url: `${url}/private`, ...sync })).toMatchObject({
      code: "ROBOTS_TXT_BLOCKED",
      message: expect.stringContaining("respect_robots_txt to false") as string,
    });
    expect(await error("page.getJobStatus", { job_id: unknownId })).toMatchObject({ code: "JOB_NOT_FOUND" });
    expect(await error("page.getJobStatus", { job_id: "nonsense" })).toMatchObject({ code: "VALIDATION_ERROR" });
    expect(await error("page.getJobStatus", { job_id: unknownId, more: 1 })).toMatchObject({
      code: "VALIDATION_ERROR",
    });
    expect(await error("page.getJobStatus")).toMatchObject({ code: "VALIDATION_ERROR" });
    const failing = await body("page.analyze", { url: `${url}/missing`, async: true, auto_retry: false });
    const id = String(failing["jobId"]);
    await until(async () => (await status(id))["status"] === "failed");
    expect(await status(id)).toMatchObject({
      failedReason: expect.stringContaining("404") as string,
      timestamps: { failed: number },
    });
  });

  it("links the files of an analysis as resources, also in the core profile", async () => {
    const reply = await core.callTool(
      { name: "analyze_page", arguments: { url: `${url}/`, features: ["layout"], wait_s: 45 } },
      { timeout: 55_000 },
    );
    const links = reply.content.flatMap((block) => (block.type === "resource_link" ? [block] : []));
    expect(links.map(({ name, mimeType }) => [name, mimeType])).toEqual(
      expect.arrayContaining([
        ["report.html", "text/html"],
        ["screenshot.jpg", "image/jpeg"],
      ]),
    );
    const read = async (name: string): Promise<Reply> => {
      const { uri = "" } = links.find((link) => link.name === name) ?? {};
      expect(uri).toMatch(/^job:\/\/[0-9a-f-]{36}\/artifact\//);
      return (await core.readResource({ uri })).contents[0] as Reply;
    };
    expect(await read("report.html")).toMatchObject({
      mimeType: "text/html",
      text: expect.stringContaining("Harbour Tools") as string,
    });
    expect(await read("screenshot.jpg")).toMatchObject({
      mimeType: "image/jpeg",
      blob: expect.stringMatching(/^\/9j\//) as string,
    });
    const [, job = ""] = /job:\/\/([0-9a-f-]+)/.exec(links[0]?.uri ?? "") ?? [];
    for (const name of ["none.html", "..%2fconfig.json", "a/b.html", ""]) {
      await expect(core.readResource({ uri: `job://${job}/artifact/${name}` })).rejects.toMatchObject({
        code: -32_602,
      });
    }
    await expect(core.readResource({ uri: `job://${unknownId}/artifact/report.html` })).rejects.toThrow(/no job/);
    const local = createClient(join(home, "longhaul.sock"));
    const { token } = await local.call("token_create", { name: "bob", owner: "bob" });
    const bob = new Client({ name: "bob", version: "0.0.0" });
    await bob.connect(openTransport(server, "http", token));
    await expect(bob.readResource({ uri: `job://${job}/artifact/report.html` })).rejects.toThrow(/no job/);
    await bob.close();
  });
});
