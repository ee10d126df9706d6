import { JobFailure } from "../../../job/failure.ts";
import type { GuardedFetch } from "../../../net/fetch/guarded-fetch.ts";
import { hideValues } from "../../../text/known-values.ts";
import { searchMissing } from "../crawl-settings.ts";
import { brave } from "./brave.ts";
import type { EngineRequest, SearchAnswer, SearchEngine, SearchQuery } from "./search-engine.ts";
import { perplexity } from "./perplexity.ts";
import { searxng } from "./searxng.ts";
import { serper } from "./serper.ts";

const engines = { searxng, brave, serper, perplexity } satisfies Record<string, SearchEngine>;

export interface SearchSettings {
  /** There is none unless one is configured. */
  readonly engine?: keyof typeof engines;
  readonly baseUrl?: string;
  readonly apiKey?: string;
  /** May reach the configured endpoint, wherever it is. */
  readonly web: GuardedFetch;
}

/** Asks the search engine that is configured. */
export async function search(query: SearchQuery, settings: SearchSettings, signal: AbortSignal): Promise<SearchAnswer> {
  const { engine: name, baseUrl, apiKey = "" } = settings;
  if (name === undefined) throw new JobFailure("search_missing", searchMissing, { retryable: false });
  const engine = engines[name];
  const base = (baseUrl ?? engine.address).replace(/\/$/, "");
  const answer = engine.read(await ask(base, engine.request(query, apiKey), settings, signal), query);
  const { results = [], suggestions = [], infobox = null, engines: asked = [name] } = answer;
  return {
    results: results.slice(0, query.count),
    suggestions: suggestions.slice(0, query.count),
    infobox,
    engines: asked,
  };
}

async function ask(
  base: string,
  { path, parameters = {}, headers, body }: EngineRequest,
  { web, apiKey = "" }: SearchSettings,
  signal: AbortSignal,
): Promise<unknown> {
  const url = new URL(base + path);
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) url.searchParams.set(name, value);
  const { status, body: answer } = await web.fetch(url, {
    signal,
    headers: { accept: "application/json", ...headers, ...(body && { "content-type": "application/json" }) },
    timeoutMs: 20_000,
    maxRedirects: 0,
    ...(body && { method: "POST", body: JSON.stringify(body) }),
  });
  if (status !== 200) {
    const hint = status === 401 || status === 403 ? " Is its JSON format on, and the key right?" : "";
    const retryable = status >= 500 || status === 429;
    throw new JobFailure("search_failed", `The search engine answered with status ${status}.${hint}`, { retryable });
  }
  try {
    return JSON.parse(hideValues([apiKey])(Buffer.from(answer).toString())) as unknown;
  } catch {
    throw new JobFailure("search_failed", "The search engine's answer is not JSON: is its JSON format on?", {
      retryable: false,
    });
  }
}
