import { z } from "zod";
import { number, text, toResults, type SearchEngine } from "./search-engine.ts";

const found = z.object({
  title: text,
  url: text,
  description: text,
  age: text,
  page_age: text,
  thumbnail: z.object({ src: text }).nullish().catch(undefined),
  properties: z.object({ url: text, width: number, height: number }).nullish().catch(undefined),
});
const box = z.object({ title: text, long_desc: text, url: text });
const answerSchema = z.object({
  web: z.object({ results: z.array(found).catch([]) }).nullish(),
  results: z.array(found).nullish().catch(undefined),
  infobox: z
    .object({ results: z.array(box).catch([]) })
    .nullish()
    .catch(undefined),
});
const suggestSchema = z.object({ results: z.array(z.object({ query: z.string() })).catch([]) });

const safety = ["off", "moderate", "strict"] as const;
const freshnessCodes = { day: "pd", week: "pw", month: "pm", year: "py" };

export const brave: SearchEngine = {
  address: "https://api.search.brave.com/res/v1",
  request: ({ query, category, count, offset, safesearch, language, country, freshness }, key) => {
    const isSuggest = category === "suggest";
    const isPlain = isSuggest || category === "images";
    // The API takes 20 results at a time, and an offset in such pages.
    const pageSize = Math.min(20, count);
    const safe = isPlain && safesearch === 1 ? "strict" : (safety[safesearch] ?? "moderate");
    return {
      path: `/${category}/search`,
      headers: { "x-subscription-token": key },
      parameters: {
        q: query,
        count: String(pageSize),
        offset: isPlain ? undefined : String(Math.min(9, Math.floor(offset / pageSize))),
        safesearch: isSuggest ? undefined : safe,
        [isSuggest ? "lang" : "search_lang"]: language,
        country: country?.toUpperCase(),
        freshness: freshness === undefined || isPlain ? undefined : freshnessCodes[freshness],
      },
    };
  },
  read: (answer, { category }) => {
    if (category === "suggest") {
      return { suggestions: suggestSchema.parse(answer).results.map((suggestion) => suggestion.query) };
    }
    const { web, results, infobox } = answerSchema.parse(answer);
    const [first] = infobox?.results ?? [];
    const told = (web?.results ?? results ?? []).map(({ title, url, description, ...facts }) => ({
      title,
      url,
      snippet: description?.replace(/<\/?strong>/g, ""),
      published: facts.page_age ?? facts.age,
      thumbnail: facts.thumbnail?.src,
      image: facts.properties?.url,
      width: facts.properties?.width,
      height: facts.properties?.height,
    }));
    return {
      results: toResults(told, "brave"),
      infobox:
        first === undefined ? null : { title: first.title ?? "", content: first.long_desc ?? "", url: first.url ?? "" },
    };
  },
};
