import { crawlContract, type CrawlRequest } from "./contract.ts";
import { LonghaulError } from "../../job/error.ts";
import { defineKind, type Kind } from "../../job/kind.ts";
import { findMissingSetting, type CrawlSettings } from "./crawl-settings.ts";
import { readShape } from "./parse/data-shape.ts";
import { compileUrlPatterns } from "./site/scope.ts";

/** Fetches from the web: whole sites, single pages, pictures of them, searches. */
export function createCrawlKind(settings: CrawlSettings): Kind {
  return defineKind({
    ...crawlContract,
    onInterrupt: "resume",
    concurrency: settings.concurrency,
    // Lets jobs be counted by what they do.
    key: ({ action }) => action,
    check: (input) => checkRequest(input, settings),
    // Loaded with the first job: a server that never crawls pays nothing for it.
    run: async (input, context) => (await import("./run-action.ts")).runAction(input, context, settings),
  });
}

/** What the schema cannot tell is refused before a job is made. */
function checkRequest(input: CrawlRequest, settings: CrawlSettings): void {
  if ("include" in input) compileUrlPatterns(input);
  if ("schema" in input && input.schema !== undefined) readShape(input.schema);
  const missing = findMissingSetting(input, settings);
  if (missing !== undefined) throw new LonghaulError("unavailable", missing);
  if (input.action !== "extract" && input.action !== "pipeline") return;
  const { schema, selectors, list_selector: list, prompt } = input;
  if ([schema, selectors, list, prompt].every((part) => part === undefined)) {
    throw new LonghaulError(
      "invalid_input",
      "Say what to extract: give a schema, selectors, a list_selector or a prompt.",
    );
  }
}
