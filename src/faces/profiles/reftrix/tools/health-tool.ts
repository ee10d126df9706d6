import { z } from "zod";
import { elapsedMs } from "../../../../job/elapsed.ts";
import { serverStatus } from "../../../../operations/server.ts";
import { defineReftrixTool, looksUp } from "../reftrix-tool.ts";
import type { View } from "../views/extent.ts";

const on = z.boolean().default(true);
const flag = z.boolean().optional();

const input = z.looseObject({
  include_metrics: on.describe("What the server holds in memory."),
  include_cache_stats: flag,
  include_css_analysis_cache_stats: flag,
  include_initialization_status: on.describe("What there is, what is left out and why, and what is broken."),
  include_pattern_services: on,
  include_tools_status: on,
  include_vision_hardware: flag,
  include_jobs: on.describe("How many of the caller's jobs are in each state."),
});

/** Tools that say less without a browser. */
const needBrowser = ["page.analyze", "layout.ingest", "layout.inspect", "layout.batch_ingest", "motion.detect"];
const others = ["quality.evaluate", "quality.batch_evaluate", "quality.getJobStatus", "page.getJobStatus"];
const lookups = ["style.get_palette", "system.health"];

export const healthTool = defineReftrixTool({
  name: "system_health",
  title: "System Health",
  description: "Whether the server can store jobs and has a browser, its version and how long it runs.",
  input,
  annotations: looksUp,
  run: async (context, wanted) => {
    const startedAt = performance.now();
    const { engine, server } = context;
    const status = await serverStatus.call(context, {});
    const isStoring = await engine.probe().then(
      () => true,
      () => false,
    );
    const hasBrowser = server.hasBrowser?.() ?? false;
    return {
      data: {
        status: isStoring ? (hasBrowser ? "healthy" : "degraded") : "unhealthy",
        timestamp: new Date().toISOString(),
        services: {
          ...(wanted.include_initialization_status
            ? { initialization: viewInitialization(isStoring, hasBrowser) }
            : {}),
          ...(wanted.include_pattern_services ? { pattern_services: patternServices } : {}),
          ...(wanted.include_tools_status ? { tools: viewTools(isStoring, hasBrowser) } : {}),
        },
        ...(wanted.include_metrics ? { mcp_metrics: { memory: viewMemory() } } : {}),
        version: server.version,
        uptimeSeconds: Math.floor(elapsedMs(server.startedAt, Date.now()) / 1_000),
        ...(wanted.include_jobs ? { jobs: status.jobs } : {}),
      },
      metadata: { processing_time_ms: Math.round(performance.now() - startedAt) },
    };
  },
});

const patternServices = {
  patternMatcher: "unavailable",
  benchmarkService: "unavailable",
  patternDrivenEvaluation: "fallback_mode",
};

function viewInitialization(isStoring: boolean, hasBrowser: boolean): View {
  return {
    initializedCategories: [...(isStoring ? ["store"] : []), ...(hasBrowser ? ["browser"] : [])],
    skippedCategories: [
      { category: "redis", reason: "Jobs are kept in the server's own database." },
      { category: "vision", reason: "No vision model looks at pages." },
    ],
    errors: [
      ...(isStoring ? [] : [{ category: "store", error: "Nothing can be stored." }]),
      ...(hasBrowser ? [] : [{ category: "browser", error: "There is no browser: HTML and style sheets are read." }]),
    ],
    registeredToolCount: needBrowser.length + others.length + lookups.length,
  };
}

function viewTools(isStoring: boolean, hasBrowser: boolean): View {
  const whole = isStoring ? { status: "operational", mode: "full" } : { status: "unavailable" };
  const details = "Without a browser, HTML and style sheets are read; nothing is drawn or measured.";
  const read = isStoring && !hasBrowser ? { status: "operational", mode: "fallback", details } : whole;
  return Object.fromEntries([
    ...[...needBrowser, ...others.slice(0, 2)].map((name) => [name, read]),
    ...[...others.slice(2), ...lookups].map((name) => [name, whole]),
  ]) as View;
}

function viewMemory(): View {
  const { rss, heapTotal, heapUsed } = process.memoryUsage();
  return { rss, heap_total: heapTotal, heap_used: heapUsed };
}
