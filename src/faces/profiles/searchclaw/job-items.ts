import { isRecord } from "../../../job/is-record.ts";
import { crawlPages } from "../../../operations/crawl.ts";
import type { OperationContext } from "../../../operations/operation.ts";
import type { Reply } from "./reply.ts";

/** As much as one reply carries, and a page more. */
const maxBytes = 4_000_000;
const pagesPerRead = 1_000;

/** Which pages of a crawl are wanted: as many as fit unless `limit` says fewer. */
export interface PageRange {
  readonly cursor: number;
  readonly limit: number;
}

export interface JobItems {
  readonly items: Reply[];
  readonly pages: number;
  /** Where the rest begins, if there is more. */
  readonly next?: number;
}

/** The pages of a crawl that has ended, from a cursor on. */
export async function readPages(
  context: OperationContext,
  id: string,
  { cursor, limit }: PageRange,
): Promise<JobItems> {
  const items: Reply[] = [];
  let pages = 0;
  let at = cursor;
  while (pages < limit && at - cursor < maxBytes) {
    const read = await crawlPages.call(context, { id, cursor: at, limit: Math.min(pagesPerRead, limit - pages) });
    items.push(...read.pages.flatMap(toItems));
    pages += read.pages.length;
    if (read.is_complete || read.next === at) return { items, pages };
    at = read.next;
  }
  return { items, pages, next: at };
}

type CrawledPage = Awaited<ReturnType<typeof crawlPages.call>>["pages"][number];

/** The data of a page and where it comes from; the page itself where no data was asked for. */
function toItems({ url = "", title = "", markdown = "", data }: CrawledPage): Reply[] {
  if (data === undefined) return [{ url, title, markdown }];
  return (Array.isArray(data) ? data : [data]).map((item) => ({ url, ...(isRecord(item) ? item : { value: item }) }));
}
