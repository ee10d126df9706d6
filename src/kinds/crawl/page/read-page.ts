import type { CrawlSettings } from "../crawl-settings.ts";
import { loadPage, type LoadTools } from "./load-page.ts";
import { createParsePool } from "../parse/parse-pool.ts";

/** With a thread that parses as long as it is used. */
export async function withPool<Result>(
  settings: CrawlSettings,
  signal: AbortSignal,
  use: (tools: LoadTools) => Promise<Result>,
): Promise<Result> {
  const pool = createParsePool({ ...settings.parse, threads: 1 });
  try {
    return await use({ pool, settings, signal });
  } finally {
    await pool.close();
  }
}

/** A page as Markdown, or any other text as it is: for those who read one thing at a time. */
export function readPage(
  url: string,
  settings: CrawlSettings,
  signal: AbortSignal,
): Promise<{ readonly url: string; readonly markdown: string; readonly note?: string }> {
  const limits = { page_timeout_ms: 30_000, max_page_mb: 2 };
  const request = { render: "auto", takesAnyText: true, ...limits } as const;
  return withPool(settings, signal, (tools) => loadPage(url, { ...request, fields: [] }, tools));
}
