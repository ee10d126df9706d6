import { z } from "zod";
import type { SearchAnswer, SearchQuery } from "./search.ts";

const text = z.string().nullish().catch(undefined);
const found = z.object({
  title: text,
  url: text,
  description: text,
  age: text,
  page_age: text,
  thumbnail: z.object({ src: text }).nullish().catch(undefined),
  properties: z
    .object({ url: text, width: z.number().nullish(), height: z.number().nullish() })
    .nullish()
    .catch(undefined),
});
const webSchema = z.object({
  web: z.object({ results: z.array(found).catch([]) }).nullish(),
  results: z.array(found).nullish().catch(undefined),
  infobox: z
    .object({ results: z.array(z.object({ title: text, long_desc: text, url: text })).catch([]) })
    .nullish()
    .catch(undefined),
});
const suggestSchema = z.object({ results: z.array(z.object({ query: z.string() })).catch([]) });

type GetJson = (url: URL, headers: Readonly<Record<string, string>>) => Promise<unknown>;
const defaultUrl = "https://api.search.brave.com/res/v1";
const safety = ["off", "moderate", "strict"] as const;
const freshnessCodes = { day: "pd", week: "pw", month: "pm", year: "py" };

export async function askBrave(
  query: SearchQuery,
  { key, url: endpoint = defaultUrl }: { readonly key: string; readonly url: string | undefined },
  getJson: GetJson,
): Promise<SearchAnswer> {
  const url = new URL(`${endpoint.replace(/\/$/, "")}/${query.category}/search`);
  const isPlain = query.category === "images" || query.category === "suggest";
  const { language, country, freshness } = query;
  const parameters: Record<string, string> = {
    q: query.query,
    // The API takes 20 results at a time, and an offset in such pages.
    count: String(Math.min(20, query.count)),
    ...(isPlain ? {} : { offset: String(Math.min(9, Math.floor(query.offset / Math.min(20, query.count)))) }),
    ...(query.category === "suggest"
      ? {}
      : { safesearch: isPlain && query.safesearch === 1 ? "strict" : (safety[query.safesearch] ?? "moderate") }),
    ...(language === undefined ? {} : { [query.category === "suggest" ? "lang" : "search_lang"]: language }),
    ...(country === undefined ? {} : { country: country.toUpperCase() }),
    ...(freshness === undefined || isPlain ? {} : { freshness: freshnessCodes[freshness] }),
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  const answer = await getJson(url, { "x-subscription-token": key });
  if (query.category === "suggest") {
    const suggestions = suggestSchema.parse(answer).results.map((suggestion) => suggestion.query);
    return { results: [], suggestions, infobox: null, engines: ["brave"] };
  }
  const { web, results, infobox } = webSchema.parse(answer);
  const [box] = infobox?.results ?? [];
  return {
    results: (web?.results ?? results ?? []).flatMap(toResult),
    suggestions: [],
    infobox: box === undefined ? null : { title: box.title ?? "", content: box.long_desc ?? "", url: box.url ?? "" },
    engines: ["brave"],
  };
}

function toResult({
  title,
  url,
  description,
  age,
  page_age: date,
  thumbnail,
  properties,
}: z.output<typeof found>): SearchAnswer["results"] {
  if (url === null || url === undefined) return [];
  const published = date ?? age;
  const { width, height } = properties ?? {};
  return [
    {
      title: title ?? "",
      url,
      snippet: (description ?? "").replace(/<\/?strong>/g, ""),
      source: "brave",
      ...(published ? { published } : {}),
      ...(thumbnail?.src ? { thumbnail: thumbnail.src } : {}),
      ...(properties?.url ? { image: properties.url } : {}),
      ...(width && height ? { width, height } : {}),
    },
  ];
}
