import { z } from "zod";
import { JobFailure } from "../../../job/failure.ts";
import { text, toResults, type SearchEngine } from "./search-engine.ts";

const answerSchema = z.object({
  results: z.array(z.object({ title: text, url: text, snippet: text, date: text })).catch([]),
});

export const perplexity: SearchEngine = {
  address: "https://api.perplexity.ai",
  request: ({ query, category, count, offset, country, freshness }, key) => {
    if (category !== "web" || offset > 0) {
      const reason = "Perplexity finds the first pages of the web and nothing else: set search.engine to another one.";
      throw new JobFailure("search_failed", reason, { retryable: false });
    }
    return {
      path: "/search",
      headers: { authorization: `Bearer ${key}` },
      body: {
        query,
        max_results: Math.min(20, count),
        country: country?.toUpperCase(),
        search_recency_filter: freshness,
      },
    };
  },
  read: (answer) => {
    const { results } = answerSchema.parse(answer);
    const told = results.map(({ date, ...result }) => ({ ...result, published: date }));
    return { results: toResults(told, "perplexity") };
  },
};
