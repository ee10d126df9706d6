import type { CrawlRequest } from "../../job/crawl-request.ts";
import type { DataRequest } from "./complete-data.ts";
import type { CrawlSettings } from "./crawl-settings.ts";

export const searchMissing =
  "Searching needs a search engine: set search.engine in the configuration to searxng (with search.base_url; its JSON format on), brave, serper or perplexity (with search.api_key), or set BRAVE_API_KEY, SERPER_API_KEY or PERPLEXITY_API_KEY.";

export const modelMissing =
  "Extracting by a prompt alone needs a language model: set ANTHROPIC_API_KEY, OPENAI_API_KEY or another key of a provider, or agent.providers in the configuration (crawl.model chooses one of their models), and leave model_tokens above 0; or give a schema or selectors.";

/** What this server would have to be told first, if it cannot do what is asked. */
export function findMissingSetting(
  input: CrawlRequest,
  { search, askModel }: Pick<CrawlSettings, "search" | "askModel">,
): string | undefined {
  const isSearch = input.action === "search" || input.action === "pipeline";
  if (isSearch && search.engine === undefined) return searchMissing;
  return "prompt" in input && isForModel(input) && (askModel === undefined || input.model_tokens === 0)
    ? modelMissing
    : undefined;
}

/** Nothing but a language model could answer. */
export function isForModel({ prompt, schema, selectors, list_selector: list }: DataRequest): boolean {
  return prompt !== undefined && [schema, selectors, list].every((part) => part === undefined);
}
