import type { WebAccess } from "../kinds/agent/tools/web-tools.ts";
import type { CrawlSettings } from "../kinds/crawl/crawl-settings.ts";

/** Agents read and search the web as crawl jobs do, whatever the model asks for. */
export function createWebAccess(settings: CrawlSettings): WebAccess {
  const asked = { category: "web", safesearch: 1, offset: 0 } as const;
  return {
    fetch: async (url, signal) => (await import("../kinds/crawl/page/read-page.ts")).readPage(url, settings, signal),
    ...(settings.search.engine !== undefined && {
      search: async (query, count, signal) => {
        const { search } = await import("../kinds/crawl/search/search.ts");
        return [...(await search({ ...asked, query, count }, settings.search, signal)).results];
      },
    }),
  };
}
