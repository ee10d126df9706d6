import type { RequestOf } from "../contract.ts";
import { messageOf } from "../../../job/failure.ts";
import { PartialResult } from "../../../job/kind.ts";
import { extractData, type ExtractTools } from "../page/page-actions.ts";
import type { LoadTools } from "../page/load-page.ts";
import { search } from "./search.ts";
import type { SearchResult } from "./search-engine.ts";

export async function searchWeb(
  { action, ...query }: RequestOf<"search">,
  { settings, signal }: Omit<LoadTools, "pool">,
): Promise<object> {
  const startedAt = performance.now();
  const { results, ...answer } = await search(query, settings.search, signal);
  const positioned = results.map((result, index) => ({ ...result, position: query.offset + index + 1 }));
  return { action, query: query.query, results: positioned, ...answer, seconds: secondsSince(startedAt) };
}

const atOnce = 3;

/** Searches, opens the first results and extracts from each. A page that fails is told with its reason. */
export async function searchAndExtract(
  input: RequestOf<"pipeline">,
  tools: ExtractTools,
): Promise<object | PartialResult> {
  const startedAt = performance.now();
  const { query, language, country, safesearch, freshness } = input;
  const asked = {
    query,
    language,
    country,
    safesearch,
    freshness,
    category: "web",
    count: input.max_results,
    offset: 0,
  } as const;
  const { results } = await search(asked, tools.settings.search, tools.signal);
  const queue = results.slice(0, input.extract_from).entries();
  const extracted: object[] = [];
  let failed = 0;
  const work = async (): Promise<void> => {
    for (const [index, result] of queue) {
      const outcome = await extractOne(result, input, tools);
      if ("error" in outcome) failed += 1;
      extracted[index] = outcome;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  const status = failed > 0 ? "partial" : "completed";
  const rest = results.slice(input.extract_from).map(({ url, title, snippet }) => ({ url, title, snippet }));
  const answer = {
    action: "pipeline",
    status,
    query,
    results: extracted,
    more_results: rest,
    failed,
    ...(tools.spending.total() > 0 ? { tokens: tools.spending.total() } : {}),
    seconds: secondsSince(startedAt),
  };
  return failed > 0 ? new PartialResult(answer) : answer;
}

async function extractOne(result: SearchResult, input: RequestOf<"pipeline">, tools: ExtractTools): Promise<object> {
  try {
    const extracted = await extractData(result.url, input, tools);
    return { ...extracted, url: result.url, title: extracted.title === "" ? result.title : extracted.title };
  } catch (error) {
    tools.signal.throwIfAborted();
    return { url: result.url, title: result.title, data: null, error: messageOf(error) };
  }
}

function secondsSince(startedAt: number): number {
  return Math.round(performance.now() - startedAt) / 1_000;
}
