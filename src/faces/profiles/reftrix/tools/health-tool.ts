import { z } from "zod";
import { elapsedMs } from "../../../../job/elapsed.ts";
import { serverStatus } from "../../../../operations/server.ts";
import type { OperationContext } from "../../../../operations/operation.ts";
import type { Tool } from "../../profile.ts";
import { defineReftrixTool, looksUp, type ReftrixReply } from "../reftrix-tool.ts";
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
const needBrowser: ReadonlySet<string> = new Set([
  ...["page.analyze", "layout.ingest", "layout.inspect", "layout.batch_ingest", "motion.detect"],
  ...["quality.evaluate", "quality.batch_evaluate"],
]);

/** Tells how the server is, and each of these tools and itself. */
export function healthToolBeside(others: readonly Tool<ReftrixReply>[]): Tool<ReftrixReply> {
  const name = "system_health";
  // Its clients know the tools by the names with a dot.
  const names = [...others.map((tool) => tool.name), name].map((known) => known.replace("_", "."));
  return defineReftrixTool({
    name,
    title: "System Health",
    description: "Whether the server can store jobs and has a browser, its version and how long it runs.",
    input,
    annotations: looksUp,
    run: (context, wanted) => viewHealth(context, wanted, names),
  });
}

async function viewHealth(
  context: OperationContext,
  wanted: z.output<typeof input>,
  names: readonly string[],
): Promise<ReftrixReply> {
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
          ? { initialization: viewInitialization(isStoring, hasBrowser, names.length) }
          : {}),
        ...(wanted.include_pattern_services ? { pattern_services: patternServices } : {}),
        ...(wanted.include_tools_status ? { tools: viewTools(names, isStoring, hasBrowser) } : {}),
      },
      ...(wanted.include_metrics ? { mcp_metrics: { memory: viewMemory() } } : {}),
      version: server.version,
      uptimeSeconds: Math.floor(elapsedMs(server.startedAt, Date.now()) / 1_000),
      ...(wanted.include_jobs ? { jobs: status.jobs } : {}),
    },
    metadata: { processing_time_ms: Math.round(performance.now() - startedAt) },
  };
}

const patternServices = {
  patternMatcher: "unavailable",
  benchmarkService: "unavailable",
  patternDrivenEvaluation: "fallback_mode",
};

function viewInitialization(isStoring: boolean, hasBrowser: boolean, registeredToolCount: number): View {
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
    registeredToolCount,
  };
}

function viewTools(names: readonly string[], isStoring: boolean, hasBrowser: boolean): View {
  const whole = isStoring ? { status: "operational", mode: "full" } : { status: "unavailable" };
  const details = "Without a browser, HTML and style sheets are read; nothing is drawn or measured.";
  const read = isStoring && !hasBrowser ? { status: "operational", mode: "fallback", details } : whole;
  return Object.fromEntries(names.map((name) => [name, needBrowser.has(name) ? read : whole]));
}

function viewMemory(): View {
  const { rss, heapTotal, heapUsed } = process.memoryUsage();
  return { rss, heap_total: heapTotal, heap_used: heapUsed };
}
