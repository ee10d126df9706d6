import { crawlRequestSchema, type CrawlRequest } from "../../job/crawl-request.ts";
import { assertNever, LonghaulError } from "../../job/error.ts";
import { defineKind, type JobContext, type Kind } from "../../job/kind.ts";
import { browse, takeScreenshot } from "./browse-actions.ts";
import { crawlSite } from "./crawl-action.ts";
import type { CrawlSettings } from "./crawl-settings.ts";
import type { LoadTools } from "./load-page.ts";
import { mapSite } from "./map-action.ts";
import { extractFromPage, pageToMarkdown, saysWhatToExtract } from "./page-actions.ts";
import { readShape } from "./parse/data-shape.ts";
import { createParsePool } from "./parse/parse-pool.ts";
import { compileUrlPattern } from "./scope.ts";
import { searchAndExtract, searchWeb } from "./search-actions.ts";

/** Fetches from the web: whole sites, single pages, pictures of them, searches. */
export function createCrawlKind(settings: CrawlSettings): Kind {
  return defineKind({
    name: "crawl",
    input: crawlRequestSchema,
    onInterrupt: "resume",
    concurrency: settings.concurrency,
    check: checkRequest,
    run: (input, context) => run(input, context, settings),
  });
}

/** What the schema cannot tell is refused before a job is made. */
function checkRequest(input: CrawlRequest): void {
  if ("include" in input) [...input.include, ...input.exclude].forEach(compileUrlPattern);
  if ("schema" in input && input.schema !== undefined) readShape(input.schema);
  const isExtract = input.action === "extract" || input.action === "pipeline";
  if (isExtract && !saysWhatToExtract(input, input.prompt)) {
    throw new LonghaulError("invalid_input", "Say what to extract: give a schema, selectors, a list_selector or a prompt.");
  }
}

function run(input: CrawlRequest, context: JobContext, settings: CrawlSettings): Promise<unknown> {
  const withPool = async (use: (tools: LoadTools) => Promise<unknown>): Promise<unknown> => {
    const pool = createParsePool({ ...settings.parse, threads: 1 });
    try {
      return await use({ pool, settings, signal: context.signal });
    } finally {
      await pool.close();
    }
  };
  const { signal } = context;
  switch (input.action) {
    case "crawl":
      return crawlSite(input, context, settings);
    case "map":
      return mapSite(input, context, settings);
    case "markdown":
      return withPool((tools) => pageToMarkdown(input, tools));
    case "extract":
      return withPool((tools) => extractFromPage(input, tools));
    case "pipeline":
      return withPool((tools) => searchAndExtract(input, tools));
    case "browse":
      return withPool((tools) => browse(input, { ...tools, context }));
    case "screenshot":
      return takeScreenshot(input, { settings, signal, context });
    case "search":
      return searchWeb(input, { settings, signal });
    default:
      return assertNever(input);
  }
}
