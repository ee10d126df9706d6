import type { ReadData } from "../../job/read-data.ts";
import type { GuardedFetch } from "../../net/fetch/guarded-fetch.ts";
import type { HostGate } from "../../net/fetch/host-gate.ts";
import type { Robots } from "../../net/robots/robots.ts";
import type { ParsePoolOptions } from "./parse/parse-pool.ts";
import type { BrowserAccess } from "./page/render-page.ts";
import type { SearchSettings } from "./search/search.ts";
import type { CrawlRequest } from "./contract.ts";
import type { DataRequest } from "./page/complete-data.ts";

/** How crawl jobs reach the web. */
export interface CrawlSettings {
  readonly web: GuardedFetch;
  readonly robots: Robots;
  readonly gate: HostGate;
  /** How many jobs of this kind run at once. */
  readonly concurrency: number;
  readonly browser?: BrowserAccess;
  readonly search: SearchSettings;
  readonly parse?: ParsePoolOptions;
  /** Before a page that failed for a reason that may pass is tried again; doubled each time. */
  readonly retryMs?: number;
  /** Finds what rules cannot; there is none without a configured language model. */
  readonly askModel?: ReadData;
}

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
