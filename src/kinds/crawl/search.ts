import type { RequestOf } from "../../job/crawl-request.ts";
import { JobFailure } from "../../job/failure.ts";
import type { GuardedFetch } from "../../net/guarded-fetch.ts";
import { searchMissing } from "./missing-settings.ts";
import { askBrave } from "./search-brave.ts";
import { askSearxng } from "./search-searxng.ts";

export interface SearchSettings {
  /** Where SearXNG answers, with its JSON format on. */
  readonly searxngUrl?: string;
  readonly braveKey?: string;
  readonly braveUrl?: string;
  /** May reach the configured endpoint, wherever it is. */
  readonly web: GuardedFetch;
}

export interface SearchResult {
  readonly title: string;
  readonly url: string;
  readonly snippet: string;
  readonly source: string;
  readonly published?: string;
  readonly thumbnail?: string;
  readonly image?: string;
  readonly width?: number;
  readonly height?: number;
}

export interface SearchAnswer {
  readonly results: readonly SearchResult[];
  readonly suggestions: readonly string[];
  readonly infobox: { readonly title: string; readonly content: string; readonly url: string } | null;
  readonly engines: readonly string[];
}

export type SearchQuery = Omit<RequestOf<"search">, "action">;

/** Asks the search engine that is configured. */
export async function search(query: SearchQuery, settings: SearchSettings, signal: AbortSignal): Promise<SearchAnswer> {
  const answer = await ask(query, settings, signal);
  return { ...answer, results: answer.results.slice(0, query.count) };
}

function ask(query: SearchQuery, settings: SearchSettings, signal: AbortSignal): Promise<SearchAnswer> {
  const { searxngUrl, braveKey, braveUrl, web } = settings;
  const getJson = (url: URL, headers: Readonly<Record<string, string>> = {}): Promise<unknown> =>
    fetchJson(url, headers, web, signal);
  if (searxngUrl !== undefined) return askSearxng(query, searxngUrl, getJson);
  if (braveKey !== undefined) return askBrave(query, { key: braveKey, url: braveUrl }, getJson);
  throw new JobFailure("search_missing", searchMissing, { retryable: false });
}

async function fetchJson(
  url: URL,
  headers: Readonly<Record<string, string>>,
  web: GuardedFetch,
  signal: AbortSignal,
): Promise<unknown> {
  const { status, body } = await web.fetch(url, {
    signal,
    headers: { accept: "application/json", ...headers },
    timeoutMs: 20_000,
  });
  if (status !== 200) {
    const hint = status === 403 ? " Is its JSON format on, and the key right?" : "";
    const retryable = status >= 500 || status === 429;
    throw new JobFailure("search_failed", `The search engine answered with status ${status}.${hint}`, { retryable });
  }
  try {
    return JSON.parse(Buffer.from(body).toString()) as unknown;
  } catch {
    throw new JobFailure("search_failed", "The search engine's answer is no JSON: is its JSON format on?", {
      retryable: false,
    });
  }
}
