import { LonghaulError } from "../job/error.ts";
import { decodeText } from "../net/decode-text.ts";
import type { GuardedFetch } from "../net/guarded-fetch.ts";
import type { AgentConfig } from "../config/agent.ts";
import type { SearchHit, WebAccess } from "../kinds/agent/tools/web-tools.ts";

type SearchConfig = NonNullable<AgentConfig["search"]>;

const mostBytes = 2_000_000;

/** How agents reach the web: through the guard, whatever the model asks for. */
export function createWebAccess(guarded: GuardedFetch, search: SearchConfig | undefined): WebAccess {
  return {
    fetch: async (url, signal) => {
      const page = await guarded.fetch(url, { signal, maxBodyBytes: mostBytes, whenTooLarge: "truncate" });
      if (page.status >= 400) throw new LonghaulError("not_found", `${page.url} answered with status ${page.status}.`);
      const contentType = String(page.headers["content-type"] ?? "text/html");
      if (!/^(text\/|application\/(json|xml|xhtml|javascript|[\w.+-]*\+(json|xml)))/i.test(contentType)) {
        throw new LonghaulError("invalid_input", `${page.url} is no text but ${contentType}.`);
      }
      const { text } = decodeText(page.body, contentType);
      return { url: page.url, markdown: /html/i.test(contentType) ? await toMarkdown(text, page.url) : text };
    },
    ...(search === undefined ? {} : { search: createSearch(guarded, search) }),
  };
}

async function toMarkdown(html: string, origin: string): Promise<string> {
  const { htmlToMarkdown } = await import("@mdream/js");
  return htmlToMarkdown(html, { origin, clean: { blankLines: true, emptyLinkText: true } }).trim();
}

interface Engine {
  readonly address: string;
  readonly request: (
    query: string,
    count: number,
    key: string,
  ) => { path: string; headers: Record<string, string>; body?: unknown };
  readonly read: (answer: never) => SearchHit[];
}

type BraveAnswer = { web?: { results?: { title: string; url: string; description?: string }[] } };
type SerperAnswer = { organic?: { title: string; link: string; snippet?: string }[] };
type PerplexityAnswer = { choices: { message: { content: string } }[]; citations?: string[] };

const engines: Readonly<Record<SearchConfig["engine"], Engine>> = {
  brave: {
    address: "https://api.search.brave.com",
    request: (query, count, key) => ({
      path: `/res/v1/web/search?q=${encodeURIComponent(query)}&count=${count}`,
      headers: { "x-subscription-token": key, accept: "application/json" },
    }),
    read: ({ web }: BraveAnswer) =>
      (web?.results ?? []).map(({ title, url, description = "" }) => ({ title, url, snippet: description })),
  },
  serper: {
    address: "https://google.serper.dev",
    request: (query, count, key) => ({
      path: "/search",
      headers: { "x-api-key": key, "content-type": "application/json" },
      body: { q: query, num: count },
    }),
    read: ({ organic = [] }: SerperAnswer) =>
      organic.map(({ title, link, snippet = "" }) => ({ title, url: link, snippet })),
  },
  perplexity: {
    address: "https://api.perplexity.ai",
    request: (query, _count, key) => ({
      path: "/chat/completions",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: { model: "sonar", messages: [{ role: "user", content: query }] },
    }),
    read: ({ choices, citations = [] }: PerplexityAnswer) => [
      { title: "Answer", url: citations.join(" "), snippet: choices[0]?.message.content ?? "" },
    ],
  },
};

function createSearch(guarded: GuardedFetch, search: SearchConfig): NonNullable<WebAccess["search"]> {
  const engine = engines[search.engine];
  return async (query, count, signal) => {
    const { path, headers, body } = engine.request(query, count, search.api_key);
    const answer = await guarded.fetch((search.base_url ?? engine.address) + path, {
      headers,
      signal,
      maxBodyBytes: mostBytes,
      maxRedirects: 0,
      ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
    });
    if (answer.status !== 200) {
      throw new LonghaulError("conflict", `The search engine ${search.engine} answered with status ${answer.status}.`);
    }
    return engine.read(JSON.parse(decodeText(answer.body, "application/json").text) as never).slice(0, count);
  };
}
