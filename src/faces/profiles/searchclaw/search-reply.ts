import type { Json } from "../../../job/json.ts";
import { listOf, textOf, type Facts, type Reply } from "./reply.ts";
import { parseUrl } from "../../../job/parse-url.ts";

const topSources = 5;
const maxSuggestions = 10;

/** A search in SearchClaw's words: of the web, of news or of images; or only suggestions. */
export function toSearchReply({ input, result, responseMs }: Facts): Reply {
  const { query = "", suggestions: given = [], infobox = null, engines = [] } = result;
  const suggestions = Array.isArray(given) ? given.slice(0, maxSuggestions) : [];
  const category = input["category"] ?? "web";
  if (category === "suggest") return { query, suggestions };
  const results = listOf(result["results"]).map((found) => ({ ...toResult(found), ...toExtras(found, category) }));
  const meta = {
    total_results: results.length,
    cached: false,
    response_time_ms: responseMs,
    engines_used: engines,
  };
  return { query, results, infobox, suggestions, meta, context: null, sources: null };
}

/** Adds what a language model reads: the first results in one numbered text, and where it comes from. */
export function withContext(reply: Reply): Reply {
  const top = listOf(reply["results"]).slice(0, topSources);
  const sources = top.map(({ title = "", url = "", snippet = "" }) => ({ title, url, snippet }));
  const context = sources.flatMap(({ title, snippet }, index) =>
    snippet === "" ? [] : `[${index + 1}] ${textOf(title)}: ${textOf(snippet)}`,
  );
  return { ...reply, context: context.join("\n\n"), sources };
}

function toResult({ title = "", url = "", snippet = "", source = "", position = 0 }: Reply): Reply {
  return { title, url, snippet, source, position };
}

function toExtras(found: Reply, category: Json): Reply {
  const { url = "", published = null, thumbnail = null, image = null, width = null, height = null } = found;
  const source = { source_name: hostOf(url) };
  if (category === "news") return { published_date: published, ...source, thumbnail };
  if (category === "images") {
    return { img_src: image, thumbnail_url: thumbnail, source_url: url, width, height, ...source };
  }
  return {};
}

function hostOf(url: Json): string {
  return parseUrl(textOf(url))?.hostname.replace(/^www\./, "") ?? "";
}
