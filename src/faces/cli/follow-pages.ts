import type { Client } from "../local/client.ts";
import type { CrawledPage } from "./page-files.ts";

interface PagesAnswer {
  readonly pages: readonly CrawledPage[];
  readonly next: number;
  readonly is_complete: boolean;
}

const sliceMs = 5_000;

/** Hands over a crawl's pages as they come, until it has ended. */
export async function followPages(
  client: Client,
  request: { readonly id: string; readonly fields: readonly string[]; readonly signal: AbortSignal },
  onPage: (page: CrawledPage) => void,
): Promise<void> {
  const { id, fields, signal } = request;
  for (let cursor = 0; ;) {
    const call = { id, fields, cursor, limit: 200, wait_ms: sliceMs };
    const answer = await client.call<PagesAnswer>("crawl_pages", call, signal);
    answer.pages.forEach((page) => onPage(page));
    cursor = answer.next;
    if (answer.is_complete) return;
  }
}
