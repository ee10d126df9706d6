import { z } from "zod";
import { crawlRequests, type CrawlAction } from "../job/crawl-request.ts";
import { jobViewSchema, toJobView } from "./job-view.ts";
import { defineOperation, type Operation } from "./operation.ts";
import { startFields, toStart } from "./run-command.ts";

/** What the engine is told besides the request itself. */
const startNames = new Set(Object.keys(startFields));

function defineCrawlOperation(action: CrawlAction, name: string, description: string): Operation {
  const { action: _action, ...fields } = crawlRequests[action].shape as Record<string, z.ZodType>;
  return defineOperation({
    name,
    scope: "run",
    description,
    input: z.strictObject({ ...startFields, ...fields }),
    output: jobViewSchema,
    run: async (context, call) => {
      const request = Object.fromEntries(Object.entries(call).filter(([field]) => !startNames.has(field)));
      const start = await toStart(call, context);
      const job = { kind: "crawl", input: { action, ...request }, ...start };
      return toJobView(await context.engine.submit(job, context.actor));
    },
  });
}

export const crawlSite = defineCrawlOperation(
  "crawl",
  "crawl_site",
  "Crawl a website: clean Markdown and data of its pages, which crawl_pages reads while it runs.",
);

/** Every start of a crawl job; the result of each but crawl_site is in the job's result. */
export const crawlOperations: readonly Operation[] = [
  crawlSite,
  defineCrawlOperation("map", "map_site", "List the URLs of a website, from its sitemaps and its links."),
  defineCrawlOperation("markdown", "page_markdown", "Fetch a page as clean Markdown of its main content."),
  defineCrawlOperation("extract", "page_extract", "Extract structured data from a page, by a schema or by selectors."),
  defineCrawlOperation("screenshot", "page_screenshot", "Take a picture of a page; job_output reads it, stream image."),
  defineCrawlOperation("browse", "page_browse", "Do a list of actions in a page: click, fill, scroll, extract."),
  defineCrawlOperation("search", "web_search", "Search the web with the search engine that is configured."),
  defineCrawlOperation(
    "pipeline",
    "search_extract",
    "Search the web and extract structured data from the first results.",
  ),
];
