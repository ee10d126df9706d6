import type { CrawlRequest } from "../../job/crawl-request.ts";
import type { CrawlSettings } from "./crawl-settings.ts";

export const searchMissing =
  "Searching needs a search engine: set search.searxng_url (a SearXNG with its JSON format on) or search.brave_key (Brave Search API) in the configuration.";

export const modelMissing =
  "Extracting by a prompt alone needs a language model, and none is configured: give a schema or selectors, or configure a model.";

/** What this server would have to be told first, if it cannot do what is asked. */
export function findMissingSetting(
  input: CrawlRequest,
  { search, model }: Pick<CrawlSettings, "search" | "model">,
): string | undefined {
  const isSearch = input.action === "search" || input.action === "pipeline";
  if (isSearch && search.searxngUrl === undefined && search.braveKey === undefined) return searchMissing;
  const needsModel = "prompt" in input && input.prompt !== undefined && input.schema === undefined;
  return needsModel && model === undefined ? modelMissing : undefined;
}
