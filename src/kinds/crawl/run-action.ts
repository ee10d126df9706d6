import type { CrawlRequest } from "./contract.ts";
import { assertNever } from "../../job/error.ts";
import type { JobContext } from "../../job/kind.ts";
import { browse, takeScreenshot } from "./page/browse-actions.ts";
import { crawlSite } from "./site/crawl-action.ts";
import type { CrawlSettings } from "./crawl-settings.ts";
import { mapSite } from "./site/map-action.ts";
import { createSpending, extractFromPage, pageToMarkdown, type Spending } from "./page/page-actions.ts";
import { withPool } from "./page/read-page.ts";
import { searchAndExtract, searchWeb } from "./search/search-actions.ts";

/** What each action does. */
export function runAction(input: CrawlRequest, context: JobContext, settings: CrawlSettings): Promise<unknown> {
  const { signal } = context;
  const spend = (max: number): Spending => createSpending(max, context);
  switch (input.action) {
    case "crawl":
      return crawlSite(input, context, settings);
    case "map":
      return mapSite(input, context, settings);
    case "markdown":
      return withPool(settings, signal, (tools) => pageToMarkdown(input, tools));
    case "extract":
      return withPool(settings, signal, (tools) =>
        extractFromPage(input, { ...tools, spending: spend(input.model_tokens) }),
      );
    case "pipeline":
      return withPool(settings, signal, (tools) =>
        searchAndExtract(input, { ...tools, spending: spend(input.model_tokens) }),
      );
    case "browse":
      return withPool(settings, signal, (tools) => browse(input, { ...tools, context }));
    case "screenshot":
      return takeScreenshot(input, { settings, signal, context });
    case "search":
      return searchWeb(input, { settings, signal });
    default:
      return assertNever(input);
  }
}
