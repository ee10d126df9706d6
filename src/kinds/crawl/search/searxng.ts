import { z } from "zod";
import { text, toResults, type SearchEngine } from "./search-engine.ts";

const found = z.object({
  title: text,
  url: text,
  content: text,
  engine: text,
  publishedDate: text,
  thumbnail: text,
  thumbnail_src: text,
  img_src: text,
  resolution: text,
});
const answerSchema = z.object({
  results: z.array(found).catch([]),
  suggestions: z.array(z.string()).catch([]),
  infoboxes: z.array(z.object({ infobox: text, content: text, id: text })).catch([]),
});
const suggestSchema = z.tuple([z.string(), z.array(z.string())]).rest(z.unknown());

const pageSize = 10;
const categories = { web: "general", news: "news", images: "images" };

/** Its JSON format must be on. It has no address that is everybody's. */
export const searxng: SearchEngine = {
  address: "",
  request: ({ query, category, offset, safesearch, language, country, freshness }) => {
    if (category === "suggest") return { path: "/autocompleter", parameters: { q: query } };
    const place = country === undefined ? "" : `-${country.toUpperCase()}`;
    return {
      path: "/search",
      parameters: {
        q: query,
        format: "json",
        categories: categories[category],
        safesearch: String(safesearch),
        pageno: String(Math.floor(offset / pageSize) + 1),
        time_range: freshness,
        language: language === undefined ? undefined : language + place,
      },
    };
  },
  read: (answer, { category }) => {
    if (category === "suggest") return { suggestions: suggestSchema.parse(answer)[1] };
    const { results, suggestions, infoboxes } = answerSchema.parse(answer);
    const [box] = infoboxes;
    const told = results.map(({ title, url, content, engine, ...facts }) => {
      const [width, height] = (facts.resolution ?? "").split(/\D+/).map(Number);
      return {
        title,
        url,
        snippet: content,
        source: engine,
        published: facts.publishedDate,
        thumbnail: facts.thumbnail_src ?? facts.thumbnail,
        image: facts.img_src,
        ...(width !== undefined && height !== undefined && height > 0 ? { width, height } : {}),
      };
    });
    return {
      results: toResults(told, "searxng"),
      suggestions,
      infobox: box === undefined ? null : { title: box.infobox ?? "", content: box.content ?? "", url: box.id ?? "" },
      engines: [...new Set(results.flatMap(({ engine }) => engine ?? []))],
    };
  },
};
