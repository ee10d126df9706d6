import { z } from "zod";
import type { SearchAnswer, SearchQuery } from "./search.ts";

const text = z.string().nullish().catch(undefined);

const answerSchema = z.object({
  results: z
    .array(
      z.object({
        title: text,
        url: text,
        content: text,
        engine: text,
        publishedDate: text,
        thumbnail: text,
        thumbnail_src: text,
        img_src: text,
        resolution: text,
      }),
    )
    .catch([]),
  suggestions: z.array(z.string()).catch([]),
  infoboxes: z.array(z.object({ infobox: text, content: text, id: text })).catch([]),
});

type GetJson = (url: URL) => Promise<unknown>;
const pageSize = 10;
const categories = { web: "general", news: "news", images: "images", suggest: "general" };

export async function askSearxng(query: SearchQuery, endpoint: string, getJson: GetJson): Promise<SearchAnswer> {
  if (query.category === "suggest") return suggest(query, endpoint, getJson);
  const url = new URL(`${endpoint.replace(/\/$/, "")}/search`);
  const { language, country, freshness } = query;
  const parameters: Record<string, string> = {
    q: query.query,
    format: "json",
    categories: categories[query.category],
    safesearch: String(query.safesearch),
    pageno: String(Math.floor(query.offset / pageSize) + 1),
    ...(freshness === undefined ? {} : { time_range: freshness }),
    ...(language === undefined
      ? {}
      : { language: country === undefined ? language : `${language}-${country.toUpperCase()}` }),
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  const { results, suggestions, infoboxes } = answerSchema.parse(await getJson(url));
  const [box] = infoboxes;
  return {
    results: results.flatMap(toResult),
    suggestions,
    infobox: box === undefined ? null : { title: box.infobox ?? "", content: box.content ?? "", url: box.id ?? "" },
    engines: [...new Set(results.flatMap(({ engine }) => engine ?? []))],
  };
}

async function suggest(query: SearchQuery, endpoint: string, getJson: GetJson): Promise<SearchAnswer> {
  const url = new URL(`${endpoint.replace(/\/$/, "")}/autocompleter`);
  url.searchParams.set("q", query.query);
  const [, found] = z
    .tuple([z.string(), z.array(z.string())])
    .rest(z.unknown())
    .parse(await getJson(url));
  return { results: [], suggestions: found.slice(0, query.count), infobox: null, engines: ["searxng"] };
}

function toResult(found: z.output<typeof answerSchema>["results"][number]): SearchAnswer["results"] {
  if (found.url === null || found.url === undefined) return [];
  const [width, height] = (found.resolution ?? "").split(/\D+/).map(Number);
  const thumbnail = found.thumbnail_src ?? found.thumbnail;
  return [
    {
      title: found.title ?? "",
      url: found.url,
      snippet: found.content ?? "",
      source: found.engine ?? "searxng",
      ...(found.publishedDate ? { published: found.publishedDate } : {}),
      ...(thumbnail ? { thumbnail } : {}),
      ...(found.img_src ? { image: found.img_src } : {}),
      ...(width !== undefined && height !== undefined && height > 0 ? { width, height } : {}),
    },
  ];
}
