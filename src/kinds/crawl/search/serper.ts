import { z } from "zod";
import { number, text, toResults, type SearchEngine } from "./search-engine.ts";

const found = z.object({
  title: text,
  link: text,
  snippet: text,
  date: text,
  imageUrl: text,
  thumbnailUrl: text,
  imageWidth: number,
  imageHeight: number,
});
const list = z.array(found).nullish().catch(undefined);
const answerSchema = z.object({
  organic: list,
  news: list,
  images: list,
  suggestions: z.array(z.object({ value: z.string() })).catch([]),
  relatedSearches: z.array(z.object({ query: z.string() })).catch([]),
  knowledgeGraph: z.object({ title: text, description: text, descriptionLink: text }).nullish().catch(undefined),
});

const paths = { web: "/search", news: "/news", images: "/images", suggest: "/autocomplete" };

/** Google's results. */
export const serper: SearchEngine = {
  address: "https://google.serper.dev",
  request: ({ query, category, count, offset, language, country, freshness }, key) => ({
    path: paths[category],
    headers: { "x-api-key": key },
    body: {
      q: query,
      num: count,
      page: Math.floor(offset / count) + 1,
      hl: language,
      gl: country,
      tbs: freshness === undefined ? undefined : `qdr:${freshness[0]}`,
    },
  }),
  read: (answer, { category }) => {
    const { organic, news, images, suggestions, relatedSearches, knowledgeGraph: box } = answerSchema.parse(answer);
    const told = (organic ?? news ?? images ?? []).map(({ title, link, snippet, date, ...facts }) => ({
      title,
      url: link,
      snippet,
      published: date,
      ...(category === "images"
        ? { image: facts.imageUrl, thumbnail: facts.thumbnailUrl, width: facts.imageWidth, height: facts.imageHeight }
        : { thumbnail: facts.imageUrl }),
    }));
    return {
      results: toResults(told, "google"),
      suggestions: [...suggestions.map(({ value }) => value), ...relatedSearches.map((related) => related.query)],
      infobox: box ? { title: box.title ?? "", content: box.description ?? "", url: box.descriptionLink ?? "" } : null,
    };
  },
};
